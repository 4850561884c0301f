/// Where in the source the launch stands that this thread is about to make: told by
/// the temporary that a rewritten launch carries (`cupr_launch`, `cupr_place`).
#ifndef CUPR_RUNTIME_LAUNCH_SITE_H
#define CUPR_RUNTIME_LAUNCH_SITE_H

namespace cupr::host {

struct LaunchSite {
  const char *file;
  unsigned line;
  bool bringsTrace; ///< the kernel's arguments start with a trace argument
};

/// The innermost site that is open in this thread; null for launches that were not rewritten.
const LaunchSite *currentLaunchSite();

} // namespace cupr::host

#endif

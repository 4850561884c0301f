/// Where in the source the launch stands that this thread is about to make: told by
/// the temporary that augmented launches carry (`cupr_launch`).
#ifndef CUPR_RUNTIME_LAUNCH_SITE_H
#define CUPR_RUNTIME_LAUNCH_SITE_H

namespace cupr::host {

struct LaunchSite {
  const char *file;
  unsigned line;
};

/// The innermost site that is open in this thread; null for launches through the
/// API, which do not pass a trace argument.
const LaunchSite *currentLaunchSite();

} // namespace cupr::host

#endif

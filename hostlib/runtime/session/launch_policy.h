/// What the trace says of a launch before it is made, and whether the user wants it traced, and why not.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_LAUNCH_POLICY_H
#define CUPR_RUNTIME_LAUNCH_POLICY_H

#include "event_log.h"
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/kernels/launch_request.h"
#include "hostlib/runtime/settings/selection.h"
#include "module_registry.h"

#include <string>

namespace cupr::host {

class LaunchPolicy {
public:
  /// The others must live as long as the policy.
  LaunchPolicy(DeviceKind device, Selection &selection, EventLog &events, ModuleRegistry &modules)
      : device_(device), selection_(selection), events_(events), modules_(modules) {}

  /// The shape of a launch, its time, which is now, and the blocks of it to record.
  trace::Launch shape(const LaunchRequest &request) const;
  /// What is known of a launch without asking a driver.
  trace::Launch configuration(const LaunchRequest &request, const Kernel &kernel) const;
  /// A launch on the current device. Announces the kernel's module. Where it stands in the source, and why it is not traced, is
  /// left open.
  trace::Launch describe(const LaunchRequest &request, const Kernel &kernel);
  /// Says in `launch`, which has its shape, the same of one that the calling thread is making or has just made, and where it stands in
  /// the source.
  void describe(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch);
  /// Why the launch that is about to be made is not to be traced; empty: it is. Counts it, so it is asked once for each.
  std::string reasonAgainst(const Kernel &kernel);

private:
  static void name(const Kernel &kernel, trace::Launch &launch);
  void place(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch);

  const DeviceKind device_;
  Selection &selection_;
  EventLog &events_;
  ModuleRegistry &modules_;
};

} // namespace cupr::host

#endif

/// The modules that launches have named so far, by what their site tables hold.
///
/// A module is written to the trace with the first launch of one of its kernels, once, however many objects hold the
/// same table, and the loops around its sites with it. The module's variables are announced with it, once for each device, which has them at addresses of its
/// own.
///
/// Threads: all members from any thread. The registry's lock may be held when those of the event log and the host log are taken.
#ifndef CUPR_RUNTIME_MODULE_REGISTRY_H
#define CUPR_RUNTIME_MODULE_REGISTRY_H

#include "event_log.h"
#include "hostlib/runtime/kernels/kernel_table.h"
#include "hostlib/runtime/paths/host_log.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace cupr::host {

class ModuleRegistry {
public:
  ModuleRegistry(trace::Writer &writer, EventLog &events, HostLog &hostLog)
      : writer_(writer), events_(events), hostLog_(hostLog) {}

  /// The module of a kernel that is about to be launched; kNoModule: it is not instrumented. `device` is the current
  /// one, `kernelHandle` the registered one. The kernel must stay where it is.
  trace::ModuleId moduleFor(const void *kernelHandle, const Kernel &kernel, std::uint32_t device);

private:
  void announceVariables(const void *kernelHandle);

  trace::Writer &writer_;
  EventLog &events_;
  HostLog &hostLog_; ///< takes loops
  std::mutex mutex_;
  std::map<std::pair<const Kernel *, std::uint32_t>, trace::ModuleId> known_; ///< by kernel and device
  std::map<std::uint64_t, trace::ModuleId> byHash_;                           ///< of the site table
};

} // namespace cupr::host

#endif

/// Launches on the CPU device, which runs a kernel in the call that launches it, and hands its records over meanwhile.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_CPU_LAUNCHER_H
#define CUPR_RUNTIME_CPU_LAUNCHER_H

#include "devicelib/abi/cpu_device.h"
#include "launcher.h"

namespace cupr::host {

class CpuLauncher final : public Launcher, public abi::RecordSink {
public:
  /// All four must live as long as the launcher.
  CpuLauncher(const Settings &settings, trace::Writer &writer, EventLog &events, LaunchPolicy &policy)
      : Launcher(settings, writer, events, policy) {}

  cudaError_t launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) override;
  std::optional<DeviceTime> timed(cudaStream_t stream, const std::function<void()> &make) override;
  void records(std::uint64_t launch, const void *words, std::size_t count) override;
};

} // namespace cupr::host

#endif

/// Samples of the program's threads, on their way to the trace.
#ifndef CUPR_RUNTIME_LOGGED_SAMPLES_H
#define CUPR_RUNTIME_LOGGED_SAMPLES_H

#include "host_log.h"
#include "host_sampler.h"
#include "path_finder.h"

namespace cupr::host {

class LoggedSamples : private SampleReceiver {
public:
  /// `perSecond`: of each thread, in a second of its processor time; not 0. The log must outlive it.
  LoggedSamples(HostLog &log, unsigned perSecond);
  /// There are no more; what is left goes to the log.
  void finish() { sampler_.finish(); }

private:
  std::uint32_t threadOf(pid_t id, const std::string &name) override;
  void ended(pid_t id) override;
  std::uint32_t pathOf(const Registers &registers, const CopiedStack &stack) override;
  void write(trace::HostBatch batch) override;

  HostLog &log_;
  PathFinder finder_;
  HostSampler sampler_;
};

} // namespace cupr::host

#endif

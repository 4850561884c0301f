#include "logged_samples.h"

#include <utility>

namespace cupr::host {

LoggedSamples::LoggedSamples(HostLog &log, unsigned perSecond)
    : log_(log), finder_(log.tree()),
      sampler_(*this, {.period = 1'000'000'000 / perSecond, .startTime = log.startTime()}) {}

std::uint32_t LoggedSamples::threadOf(pid_t id, const std::string &name) {
  return log_.numberOf({static_cast<std::uint64_t>(id), name});
}

void LoggedSamples::ended(pid_t id) { log_.threadEnded(static_cast<std::uint64_t>(id)); }

std::uint32_t LoggedSamples::pathOf(const Registers &registers, const CopiedStack &stack) {
  return finder_.pathOf(registers, /*isInterrupted=*/true, stack);
}

void LoggedSamples::write(trace::HostBatch batch) { log_.write(std::move(batch)); }

} // namespace cupr::host

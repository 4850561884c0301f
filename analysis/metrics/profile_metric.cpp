#include "profile_metric.h"

#include "analysis/output/text.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

using enum MetricUnit;
#define CUPR_METRIC(name, heading, what, unit, expression)                                                   \
  {name, heading, what, unit, [](const ProfileFigures &of) -> std::uint64_t { return expression; }}

constexpr ProfileMetric kMetrics[] = {
    CUPR_METRIC("host", "host time", "time in calls, and processor time outside of them", Nanoseconds,
                of.hostTime()),
    CUPR_METRIC("cpu", "processor", "processor time, of samples", Nanoseconds, of.processorTime),
    CUPR_METRIC("calls", "calls", "calls of the CUDA API", Count, of.calls()),
    CUPR_METRIC("call-time", "in calls", "time in calls", Nanoseconds, of.callTime()),
    CUPR_METRIC("wait", "waiting", "time in calls that wait for launches and do not synchronise", Nanoseconds,
                of.waitTime),
    CUPR_METRIC("api", "on the API", "time of launches on the device, and of other calls", Nanoseconds,
                of.apiTime()),
    CUPR_METRIC("launches", "launches", "launches of kernels", Count, of.launches),
    CUPR_METRIC("device", "device", "time of launches on the device", Nanoseconds, of.deviceTime),
    CUPR_METRIC("copied", "copied", "bytes that were copied", Bytes, of.copyBytes),
    CUPR_METRIC("allocated", "allocated", "bytes that were allocated", Bytes, of.allocatedBytes),
    CUPR_METRIC("accesses", "accesses", "accesses of the device, by threads", Count, of.accesses),
    CUPR_METRIC("bytes", "bytes", "bytes of these", Bytes, of.accessBytes),
    CUPR_METRIC("sectors", "sectors", "sectors of global memory", Count, of.sectors),
    CUPR_METRIC("excess", "excess", "sectors beyond those that the bytes need", Count,
                of.sectors - of.leastSectors),
    CUPR_METRIC("instructions", "instructions", "instructions executed by warps", Count,
                of.executed.instructions),
    CUPR_METRIC("thread-instructions", "by threads", "the same, by the threads that were active", Count,
                of.executed.threads),
};
#undef CUPR_METRIC

} // namespace

const std::span<const ProfileMetric> kProfileMetrics = kMetrics;

std::string ProfileMetric::text(std::uint64_t number) const {
  if (number == 0)
    return {};
  switch (unit) {
  case Count:
    return grouped(number);
  case Nanoseconds:
    return durationText(number);
  case Bytes:
    return bytesText(number);
  }
  return {};
}

const ProfileMetric *profileMetric(std::string_view name) {
  const auto found = std::ranges::find(kMetrics, name, &ProfileMetric::name);
  return found == std::end(kMetrics) ? nullptr : found;
}

const ProfileMetric &mainMetric(const ProfileFigures &all) {
  for (const char *name : {"host", "device", "accesses"})
    if (const ProfileMetric *metric = profileMetric(name); metric->of(all) != 0)
      return *metric;
  return *profileMetric("launches");
}

} // namespace cupr::analysis

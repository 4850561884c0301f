/// What a profile can be looked at by: one number of a node each.
#ifndef CUPR_ANALYSIS_PROFILE_METRIC_H
#define CUPR_ANALYSIS_PROFILE_METRIC_H

#include "profile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cupr::analysis {

enum class MetricUnit : std::uint8_t { Count, Nanoseconds, Bytes };

struct ProfileMetric {
  std::string_view name; ///< as --metric takes it
  std::string_view heading;
  std::string_view what;
  MetricUnit unit;
  std::uint64_t (*of)(const ProfileFigures &figures);

  /// With its unit; empty: 0.
  std::string text(std::uint64_t number) const;
};

extern const std::span<const ProfileMetric> kProfileMetrics;
/// Null: there is none of that name.
const ProfileMetric *profileMetric(std::string_view name);
/// The first of which a program has any: its time on the host, else on the device, else what it accesses.
const ProfileMetric &mainMetric(const ProfileFigures &all);

} // namespace cupr::analysis

#endif

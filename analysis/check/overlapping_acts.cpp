#include "overlapping_acts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace cupr::analysis {

std::vector<bool> overlappingActs(const Model &model, const Ordering &ordering) {
  constexpr std::uint64_t kStepsPerSearch = 500;
  std::vector<bool> overlaps(ordering.acts() + 1);
  std::map<std::uint32_t, std::vector<Act>> streams; // acts of each in their order
  for (std::size_t number = 1; number <= ordering.acts(); ++number)
    streams[ordering.streamOf(Act{static_cast<std::uint32_t>(number)})].push_back(
        Act{static_cast<std::uint32_t>(number)});
  if (streams.size() < 2)
    return overlaps;
  model.limit().spend(kStepsPerSearch * ordering.acts() * streams.size(),
                      [] { return std::string("finding which acts of several streams overlap"); });
  for (std::size_t number = 1; number <= ordering.acts(); ++number) {
    const Act act{static_cast<std::uint32_t>(number)};
    overlaps[number] = std::ranges::any_of(streams, [&](const auto &stream) {
      if (stream.first == ordering.streamOf(act))
        return false;
      // Those before it are the stream's first ones, those behind it the last.
      const auto next =
          std::ranges::partition_point(stream.second, [&](Act other) { return ordering.before(other, act); });
      return next != stream.second.end() && !ordering.before(act, *next);
    });
  }
  return overlaps;
}

} // namespace cupr::analysis

#include "id_ranges.h"

#include <iterator>

namespace cupr::trace {

bool IdRanges::contains(std::uint64_t id) const {
  const auto after = lastByFirst_.upper_bound(id);
  return after != lastByFirst_.begin() && std::prev(after)->second >= id;
}

bool IdRanges::add(std::uint64_t id) {
  const auto after = lastByFirst_.upper_bound(id);
  const auto before = after == lastByFirst_.begin() ? lastByFirst_.end() : std::prev(after);
  if (before != lastByFirst_.end() && before->second >= id)
    return false;
  const bool joinsAfter = after != lastByFirst_.end() && after->first - 1 == id;
  const std::uint64_t last = joinsAfter ? after->second : id;
  if (joinsAfter)
    lastByFirst_.erase(after);
  if (before != lastByFirst_.end() && before->second + 1 == id)
    before->second = last;
  else
    lastByFirst_[id] = last;
  return true;
}

std::vector<IdRanges::Range> IdRanges::gaps() const {
  std::vector<Range> gaps;
  std::uint64_t next = 1;
  for (const auto &[first, last] : lastByFirst_) {
    if (first > next)
      gaps.push_back({next, first - 1});
    next = last + 1;
  }
  return gaps;
}

std::string launchesText(const IdRanges::Range &range) {
  return range.first == range.last
             ? "launch " + std::to_string(range.first)
             : "launches " + std::to_string(range.first) + " to " + std::to_string(range.last);
}

} // namespace cupr::trace

#include "warp_meetings.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cupr::analysis {

namespace {

/// What is kept of one warp. More than that only lanes leave that wait for some that have ended.
constexpr std::size_t kMostComing = 256;

} // namespace

/// By what they wait for; a front's site is that of its lowest lane.
std::vector<WarpMeetings::Front> WarpMeetings::frontsOf(const Line &line) {
  std::vector<Front> fronts;
  std::uint32_t seen = 0;
  for (const Coming &coming : line) {
    const std::uint32_t lanes = coming.lanes & ~seen;
    seen |= coming.lanes;
    if (lanes == 0)
      continue;
    const auto same = std::ranges::find(fronts, coming.what, &Front::what);
    if (same == fronts.end()) {
      fronts.push_back({coming.what, lanes, coming.site});
      continue;
    }
    if (std::countr_zero(lanes) < std::countr_zero(same->lanes))
      same->site = coming.site;
    same->lanes |= lanes;
  }
  return fronts;
}

/// These lanes have met, as often as all of them say that they do.
void WarpMeetings::leave(Line &line, const Front &front) {
  std::uint32_t seen = 0, times = UINT32_MAX;
  for (const Coming &coming : line) {
    if ((coming.lanes & front.lanes & ~seen) != 0)
      times = std::min(times, coming.count);
    seen |= coming.lanes;
  }
  seen = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::uint32_t lanes = line[i].lanes & front.lanes & ~seen;
    seen |= line[i].lanes;
    if (lanes == 0)
      continue;
    Coming rest = line[i];
    rest.lanes = lanes;
    rest.count -= times;
    line[i].lanes &= ~lanes;
    if (rest.count != 0)
      line.insert(line.begin() + static_cast<std::ptrdiff_t>(i++), rest);
  }
  std::erase_if(line, [](const Coming &coming) { return coming.lanes == 0; });
}

/// Lets all meet that can. `areOthersGone`: lanes that have nothing in front of them are waited for by nobody.
void WarpMeetings::meetAll(Line &line, std::uint32_t present, bool areOthersGone) {
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    const std::vector<Front> fronts = frontsOf(line);
    std::uint32_t wanted = areOthersGone ? 0 : present;
    for (const Front &front : fronts)
      wanted |= front.lanes;
    for (const Front &front : fronts)
      if ((front.what.mask & wanted & ~front.lanes) == 0) {
        leave(line, front);
        goesOn = true;
      }
  }
}

void WarpMeetings::come(std::uint32_t lanes, const What &what, std::uint32_t count, std::uint32_t site) {
  isLost_ = isLost_ || (lanes & gone_) != 0;
  if (isLost_ || found_)
    return;
  if (line_.empty() && (what.mask & present_ & ~lanes) == 0)
    return;
  if (!line_.empty() && line_.back().what == what && line_.back().lanes == lanes)
    line_.back().count += count;
  else
    line_.push_back({lanes, what, count, site});
  meetAll(line_, present_, false);
  if (line_.size() <= kMostComing)
    return;
  found_ = circle();
  // If not, those that come to nothing have ended, as it seems.
  std::uint32_t left = 0;
  for (const Coming &coming : line_)
    left |= coming.lanes;
  gone_ |= present_ & ~left;
  present_ &= left;
  meetAll(line_, present_, false);
  isLost_ = line_.size() > kMostComing;
}

std::optional<WarpMeetings::Circle> WarpMeetings::circle() const {
  if (found_)
    return found_;
  if (isLost_ || line_.empty())
    return std::nullopt;
  Line line = line_;
  meetAll(line, present_, true);
  std::vector<Front> fronts = frontsOf(line);
  if (fronts.empty())
    return std::nullopt;
  // Whoever of them came first: the same is found each time.
  std::ranges::sort(fronts, {}, [](const Front &front) { return std::countr_zero(front.lanes); });
  std::uint32_t waiting = 0;
  for (const Front &front : fronts)
    waiting |= front.lanes;
  const auto missingOf = [&](const Front &front) {
    return static_cast<std::uint32_t>(std::countr_zero(front.what.mask & waiting & ~front.lanes));
  };
  const auto nextOf = [&](std::size_t of) {
    const std::uint32_t lane = missingOf(fronts[of]);
    return static_cast<std::size_t>(
        std::ranges::find_if(fronts, [&](const Front &front) { return (front.lanes >> lane & 1) != 0; }) -
        fronts.begin());
  };
  // Each waits for another one, so that after so many steps it goes round.
  std::size_t at = 0;
  for (std::size_t step = 0; step < fronts.size(); ++step)
    at = nextOf(at);
  const auto rankOf = [&](std::size_t of) {
    return std::pair(fronts[of].what.operation == abi::Operation::Barrier, fronts[of].site);
  };
  for (std::size_t step = 0, other = at; step < fronts.size(); ++step)
    if (other = nextOf(other); rankOf(other) < rankOf(at))
      at = other;
  const Front &front = fronts[at], &other = fronts[nextOf(at)];
  return Circle{front.site, static_cast<std::uint32_t>(std::countr_zero(front.lanes)), other.site,
                missingOf(front), front.what.mask};
}

} // namespace cupr::analysis

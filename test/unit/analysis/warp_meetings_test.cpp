/// Lanes that wait for each other by masks: random ones against a search through all orders in which they may run, and what the check makes
/// of them.
#include "check_scene.h"
#include "unit/seed_count.h"

#include "analysis/check/warp_meetings.h"
#include "hostlib/trace/cut_off.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warp_meetings_test {

using namespace check_test;
using abi::Operation;
using What = WarpMeetings::What;

constexpr unsigned kLanes = 4;
constexpr std::uint32_t kPresent = (1u << kLanes) - 1;

/// What each of a few lanes comes to, in its order.
using Ways = std::array<std::vector<What>, kLanes>;

/// Whether there is an order in which all come to their end: each meeting has all that its mask names and that have not ended.
bool canEnd(const Ways &ways) {
  using Places = std::array<std::size_t, kLanes>;
  std::set<Places> seen;
  std::vector<Places> work = {{}};
  while (!work.empty()) {
    const Places at = work.back();
    work.pop_back();
    if (!seen.insert(at).second)
      continue;
    const auto hasEnded = [&](unsigned lane) { return at[lane] == ways[lane].size(); };
    bool haveAll = true;
    for (unsigned first = 0; first < kLanes; ++first) {
      if (hasEnded(first))
        continue;
      haveAll = false;
      const What &what = ways[first][at[first]];
      Places next = at;
      bool meets = true;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        if ((what.mask >> lane & 1) != 0 && !hasEnded(lane)) {
          meets = meets && ways[lane][at[lane]] == what;
          ++next[lane];
        }
      if (meets)
        work.push_back(next);
    }
    if (haveAll)
      return true;
  }
  return false;
}

class RandomWays {
public:
  explicit RandomWays(unsigned seed) : random_(seed) {}

  /// Meetings that take place one behind the other, and lanes that end on the way. Some have one meeting left out or put in.
  Ways make() {
    Ways ways;
    std::uint32_t alive = kPresent;
    for (unsigned i = 0; i < 8; ++i) {
      if (below(8) == 0)
        alive &= ~(1u << below(kLanes));
      const What what = any();
      for (unsigned lane = 0; lane < kLanes; ++lane)
        if ((what.mask & alive) >> lane & 1)
          ways[lane].push_back(what);
    }
    std::vector<What> &some = ways[below(kLanes)];
    const auto at = some.begin() + below(static_cast<unsigned>(some.size()) + 1);
    if (below(3) == 0 && at != some.end())
      some.erase(at);
    else if (below(3) == 0)
      some.insert(at, any());
    return ways;
  }

  /// As records: lanes that have the same next, some of them or all, as often as it follows.
  void record(const Ways &ways, WarpMeetings &meetings) {
    std::array<std::size_t, kLanes> at{};
    for (;;) {
      std::uint32_t left = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        left |= std::uint32_t{at[lane] < ways[lane].size()} << lane;
      if (left == 0)
        return;
      unsigned first = below(kLanes);
      while ((left >> first & 1) == 0)
        first = (first + 1) % kLanes;
      const What what = ways[first][at[first]];
      const auto has = [&](unsigned lane, std::uint32_t times) {
        return at[lane] + times <= ways[lane].size() &&
               std::count(ways[lane].begin() + at[lane], ways[lane].begin() + at[lane] + times, what) ==
                   times;
      };
      const std::uint32_t count = below(2) == 0 && has(first, 2) ? 2 : 1;
      std::uint32_t lanes = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        if (lane == first || (below(2) == 0 && has(lane, count)))
          lanes |= 1u << lane;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        at[lane] += (lanes >> lane & 1) * count;
      meetings.come(lanes, what, count, what.mask);
    }
  }

private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  /// Of one that a lane may be put into, the mask needs not name it: then it is not asked for.
  What any() {
    constexpr Operation kOperations[] = {Operation::WarpShuffle, Operation::WarpVote, Operation::WarpBarrier};
    if (below(5) == 0)
      return {Operation::Barrier, ~0u};
    return {kOperations[below(3)], below(3) == 0 ? kPresent : 1 + below(kPresent)};
  }

  std::mt19937_64 random_;
};

/// A lane's own meetings name it.
bool areNamed(const Ways &ways) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (!std::ranges::all_of(ways[lane], [&](const What &what) { return (what.mask >> lane & 1) != 0; }))
      return false;
  return true;
}

TEST_CASE("lanes that can't all come to their end wait in a circle, and no others", "[random]") {
  unsigned circles = 0, ends = 0;
  for (unsigned seed = 0; seed < test::seedCount(4000); ++seed) {
    RandomWays random(seed);
    const Ways ways = random.make();
    if (!areNamed(ways))
      continue;
    WarpMeetings meetings(kPresent);
    random.record(ways, meetings);
    INFO("seed " << seed);
    const bool isRight = canEnd(ways);
    CHECK(meetings.circle().has_value() != isRight);
    ++(isRight ? ends : circles);
  }
  CHECK(circles > test::seedCount(4000) / 40);
  CHECK(ends > test::seedCount(4000) / 4);
}

TEST_CASE("who ended long ago is waited for by nobody, and one that comes again is not waited for in vain") {
  WarpMeetings meetings(kAll);
  // Half of the warp has ended, and the other goes round a loop.
  for (std::uint32_t i = 0; i < 1000; ++i) {
    meetings.come(0xffff, {Operation::WarpShuffle, kAll}, 1, 1);
    meetings.come(0xffff, {Operation::WarpVote, kAll}, 1, 2);
  }
  CHECK(!meetings.circle());
  // What waits now is seen all the same.
  WarpMeetings wrong = meetings;
  wrong.come(0xff, {Operation::WarpShuffle, 0xffff}, 1, 3);
  wrong.come(0xff00, {Operation::WarpVote, 0xffff}, 1, 4);
  REQUIRE(wrong.circle());
  CHECK(wrong.circle()->site == 3);
  CHECK(wrong.circle()->otherSite == 4);
  CHECK(wrong.circle()->otherLane == 8);
  // One of them was only late: nothing is known of the warp.
  meetings.come(1u << 31, {Operation::WarpShuffle, kAll}, 1, 1);
  meetings.come(0xff, {Operation::WarpShuffle, 0xffff}, 1, 3);
  meetings.come(0xff00, {Operation::WarpVote, 0xffff}, 1, 4);
  CHECK(!meetings.circle());
}

TEST_CASE("of a kernel that a signal has cut off it is told who waits for whom, and nothing leaks") {
  const auto rules = [](std::string_view reason) {
    Scene scene;
    scene.make(scene.shuffle, 0, 0, kAll, 0xffff);
    scene.make(scene.vote, 0, 0, kAll, 0xffff0000);
    const trace::LaunchId id = scene.trace.launch("k(int*)", {2, 1, 1}, {64, 1, 1});
    scene.trace.records(id, scene.words);
    trace::LaunchEnd end;
    end.id = id;
    end.reason = reason;
    end.recordWords = scene.trace.writer->recordWords(id);
    scene.trace.writer->launchEnd(end);
    scene.trace.writer->finish();
    Rules rules;
    for (const Fault &fault : check(Model(scene.file.path()), {.threads = 1}).faults)
      rules.push_back(fault.rule);
    return rules;
  };
  CHECK(rules(trace::kCutOff) == Rules{FaultRule::WarpMask});
  // Where something may be missing, it could be that one of the two had come.
  CHECK(rules("the record buffer was full") == Rules{FaultRule::Leak, FaultRule::Leak});
}

TEST_CASE("a thread whose mask does not name it is told, of each kind") {
  for (const auto site : {&Scene::shuffle, &Scene::vote, &Scene::warpBarrier}) {
    Scene scene;
    scene.make(scene.*site, 0, 0, 0xffff, 0xffff);
    scene.make(scene.*site, 1, 1, 0xffff, 0x1ffff);
    const std::vector<Fault> faults = scene.faults();
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].rule == FaultRule::WarpMask);
    CHECK(faults[0].place.block == 1);
    CHECK(faults[0].place.thread == 32 + 16);
    CHECK(faults[0].address == 0xffff);
    CHECK(!faults[0].other);
  }
}

TEST_CASE("lanes that come apart to one meeting are no fault, nor are those that have returned") {
  CHECK(after([](Scene &s) {
          s.make(s.shuffle, 0, 0, kAll, 0xff);
          s.make(s.shuffle, 0, 0, kAll, ~0xffu);
          s.make(s.vote, 0, 0, kAll, 0xffff);
          s.make(s.warpBarrier, 0, 0, 0xffff, 0xffff);
          s.make(s.barrier, 0, 0, 0, 0xffff);
        }).empty());
}

TEST_CASE("a record may stand for several, which others come to one by one") {
  constexpr std::uint64_t kThree = std::uint64_t{3} << abi::kLaneOperationsShift | kAll;
  const auto play = [](unsigned times) {
    return after([=](Scene &s) {
      s.make(s.shuffle, 0, 0, kThree, 0xffff);
      for (unsigned i = 0; i < times; ++i)
        s.make(s.shuffle, 0, 0, kAll, 0xffff0000);
      s.make(s.barrier, 0, 0, 0, kAll);
    });
  };
  CHECK(play(3).empty());
  CHECK(play(2) == Rules{FaultRule::WarpMask});
  CHECK(play(4) == Rules{FaultRule::WarpMask});
}

TEST_CASE("half of a warp at a shuffle of all, and half at the block's barrier, is told with both places") {
  Scene scene;
  scene.make(scene.barrier, 0, 1, 0, 0xffff0000);
  scene.make(scene.shuffle, 0, 1, kAll, 0xffff);
  scene.make(scene.barrier, 0, 1, 0, 0xffff);
  const std::vector<Fault> faults = scene.faults();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].rule == FaultRule::WarpMask);
  CHECK(faults[0].place.site == scene.shuffle);
  CHECK(faults[0].place.thread == 32);
  CHECK(faults[0].address == kAll);
  REQUIRE(faults[0].other);
  CHECK(faults[0].other->site == scene.barrier);
  CHECK(faults[0].other->thread == 32 + 16);
}

} // namespace warp_meetings_test

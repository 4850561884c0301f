#include "cuprewrite/tool/latency_audit.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace cupr::tool;
using cupr::abi::beginMark;
using cupr::abi::endMark;
using cupr::abi::IntervalWait;

namespace {

using Word = std::uint64_t;
struct Encoded {
  Word low, high;
};

std::vector<MachineInstruction> read(const std::vector<Encoded> &code) {
  return readMachineCode(
      std::string_view(reinterpret_cast<const char *>(code.data()), code.size() * sizeof(Encoded)));
}

/// What ptxas 13 makes for sm_90 of a load that is waited for by its value.
const std::vector<Encoded> kLoad = {
    {0x0000000000077805, 0x001fe40000005000}, // CS2R.32 R7, SR_CLOCKLO
    {0xffc000020000780c, 0x000fda0003f25070}, // ISETP.NE.AND P1, PT, R0, 0xffc00002, PT
    {0x0000000000071805, 0x000fe20000005000}, // @P1 CS2R.32 R7, SR_CLOCKLO
    {0x00000008023c7981, 0x000ea4000c1e1900}, // LDG.E R60, desc[UR8][R2.64], sets scoreboard 2
    {0xffc000033c00780c, 0x004fe40003f25070}, // ISETP.NE.AND P1, PT, R60, 0xffc00003, PT, waits for 2
    {0x0000000000007805, 0x000fc80000005000}, // CS2R.32 R0, SR_CLOCKLO
    {0x0000000000007207, 0x000fce0000800000}, // SEL R0, R0, R0, P1
    {0x0000000000009805, 0x000fe40000005000}, // @!P1 CS2R.32 R0, SR_CLOCKLO
    {0x0000000000047805, 0x000fcc0000015000}, // CS2R R4, SR_CLOCKLO
};

/// The same of a store, which is waited for by a fence.
const std::vector<Encoded> kStore = {
    {0x0000000000077805, 0x000fe40000005000}, // CS2R.32 R7, SR_CLOCKLO
    {0xffc000060000780c, 0x000fda0003f05070}, // ISETP.NE.AND P0, PT, R0, 0xffc00006, PT
    {0x0000000000070805, 0x000fe20000005000}, // @P0 CS2R.32 R7, SR_CLOCKLO
    {0x0000003c02007986, 0x0001e6000c101908}, // STG.E desc[UR8][R2.64], R60
    {0xffc000070700780c, 0x000fe20003f05070}, // ISETP.NE.AND P0, PT, R7, 0xffc00007, PT
    {0x0000000000007992, 0x0003ec0000008000}, // MEMBAR.ALL.CTA, clears scoreboard 1
    {0x0000000000007918, 0x03ffe20000000000}, // NOP, waits for all
    {0x0000000000007805, 0x000fc80000005000}, // CS2R.32 R0, SR_CLOCKLO
};

/// And of a copy into shared memory, which is waited for by `cp.async.wait_all`.
const std::vector<Encoded> kCopy = {
    {0x0000000000057805, 0x000fe40000005000}, // CS2R.32 R5, SR_CLOCKLO
    {0xffc004480000780c, 0x000fda0003f05070}, // ISETP.NE.AND P0, PT, R0, 0xffc00448, PT
    {0x0000000000050805, 0x000fe20000005000}, // @P0 CS2R.32 R5, SR_CLOCKLO
    {0x00000000fffff984, 0x000fe20000000800}, // @!PT LDS RZ, [RZ]
    {0x0000000002047fae, 0x0003e6000b921a64}, // LDGSTS.E.64 [R4], desc[UR36][R2.64]
    {0xffc004490500780c, 0x000fe20003f05070}, // ISETP.NE.AND P0, PT, R5, 0xffc00449, PT
    {0x00000000000079af, 0x000e220000000000}, // LDGDEPBAR, sets scoreboard 0
    {0x000080000000791a, 0x000fc80000000000}, // DEPBAR.LE SB0, 0x0
    {0x0000000000007805, 0x000fc80000005000}, // CS2R.32 R0, SR_CLOCKLO
};

constexpr Word kScoreboards = Word{0x3f} << (116 - 64);

std::string reasonOf(const std::vector<Encoded> &code, std::uint32_t interval, IntervalWait wait) {
  const auto refused = auditIntervals({{interval, wait, "heat.cu:3:10"}}, {read(code)});
  if (refused.empty())
    return "";
  CHECK(refused.size() == 1);
  CHECK(refused[0].interval.place == "heat.cu:3:10");
  return refused[0].reason;
}

std::vector<Encoded> without(std::vector<Encoded> code, std::size_t place) {
  code.erase(code.begin() + static_cast<std::ptrdiff_t>(place));
  return code;
}

std::vector<Encoded> waitingForNothing(std::vector<Encoded> code, std::size_t place) {
  code[place].high &= ~kScoreboards;
  return code;
}

std::vector<Encoded> exchanged(std::vector<Encoded> code, std::size_t a, std::size_t b) {
  std::swap(code[a], code[b]);
  return code;
}

} // namespace

TEST_CASE("machine code says what waits for what") {
  const auto load = read(kLoad);
  REQUIRE(load.size() == kLoad.size());
  using Kind = MachineInstruction::Kind;
  CHECK(load[0].kind == Kind::Clock);
  CHECK_FALSE(load[0].isPredicated);
  CHECK(load[1].kind == Kind::Compare);
  CHECK(load[1].immediate == beginMark(1));
  CHECK((load[2].kind == Kind::Clock && load[2].isPredicated));
  CHECK((load[3].kind == Kind::Load && load[3].sets == 1 << 2 && load[3].waits == 0));
  CHECK((load[4].kind == Kind::Compare && load[4].immediate == endMark(1) && load[4].waits == 1 << 2));
  CHECK((load[7].kind == Kind::Clock && load[7].isPredicated));
  const auto store = read(kStore);
  CHECK((store[3].kind == Kind::Store && store[3].sets == 0));
  CHECK((store[5].kind == Kind::Fence && store[5].sets == 1 << 1));
  CHECK((store[6].kind == Kind::Other && store[6].waits == 0x3f));
  CHECK(readMachineCode("less than an instruction").size() == 1);
  CHECK(readMachineCode("").empty());
}

TEST_CASE("marks are told from other numbers") {
  using cupr::abi::intervalOf;
  CHECK(intervalOf(beginMark(1)) == 1);
  CHECK(intervalOf(endMark(cupr::abi::kMostIntervals)) == cupr::abi::kMostIntervals);
  for (const std::uint32_t other : {0u, 1u, 0xffffffffu, 0x7fc00003u, 0xffb00003u, 0xffd00003u})
    CHECK(intervalOf(other) == 0);
}

TEST_CASE("an interval whose second clock waits passes") {
  CHECK(reasonOf(kLoad, 1, IntervalWait::Value) == "");
  CHECK(reasonOf(kLoad, 1, IntervalWait::Nothing) == "");
  CHECK(reasonOf(kStore, 3, IntervalWait::Fence) == "");
  CHECK(reasonOf(kCopy, 0x224, IntervalWait::Copies) == "");
  CHECK(reasonOf(kCopy, 0x224, IntervalWait::Nothing) == "");
  CHECK(auditIntervals({}, {read(kLoad)}).empty());
}

TEST_CASE("a second clock that does not wait is refused") {
  const std::string early = "the second clock is read before the access is over";
  CHECK(reasonOf(waitingForNothing(kLoad, 4), 1, IntervalWait::Value) == early);
  // The naive scheme doesn't ask.
  CHECK(reasonOf(waitingForNothing(kLoad, 4), 1, IntervalWait::Nothing) == "");
  // The clock in front of the comparison: then the one behind it is the later one, and the marks tell of it.
  CHECK(reasonOf(exchanged(waitingForNothing(kLoad, 4), 4, 5), 1, IntervalWait::Value) == early);
  // Another scoreboard is waited for.
  auto other = kLoad;
  other[4].high = (other[4].high & ~kScoreboards) | Word{1} << (116 - 64 + 3);
  CHECK(reasonOf(other, 1, IntervalWait::Value) == early);
  // A load under a fence, which is over while the load is not.
  auto fenced = kStore;
  fenced[3] = kLoad[3];
  CHECK(reasonOf(fenced, 3, IntervalWait::Fence) == "");
  fenced[6].high = (fenced[6].high & ~kScoreboards) | Word{1} << (116 - 64 + 1);
  CHECK(reasonOf(fenced, 3, IntervalWait::Fence) == early);
}

TEST_CASE("a copy that is still under way at the second clock is refused") {
  const std::string early = "the second clock is read before the copy is over";
  const auto reason = [](const std::vector<Encoded> &code) {
    return reasonOf(code, 0x224, IntervalWait::Copies);
  };
  CHECK(reason(without(kCopy, 6)) == early);
  CHECK(reason(without(kCopy, 7)) == early);
  CHECK(reasonOf(without(kCopy, 7), 0x224, IntervalWait::Nothing) == "");
  // The wait in front of the copy's group, or behind the clock.
  CHECK(reason(exchanged(kCopy, 6, 7)) == early);
  CHECK(reason(exchanged(kCopy, 7, 8)) == early);
  // The group in front of the copy.
  CHECK(reason(exchanged(kCopy, 4, 6)) == early);
  // One group may be left, or those of another scoreboard are waited for.
  auto left = kCopy, other = kCopy;
  left[7].low |= Word{1} << 38;
  other[7].low |= Word{1} << 44;
  CHECK(reason(left) == early);
  CHECK(reason(other) == early);
  CHECK(reason(without(kCopy, 4)) == "the access is not between its clocks");
}

TEST_CASE("what is stored behind the fence for want of registers is no access") {
  auto spilled = kStore;
  spilled.insert(spilled.begin() + 7, kStore[3]);
  CHECK(reasonOf(spilled, 3, IntervalWait::Fence) == "");
}

TEST_CASE("a fence that is not there, or not over, is no fence") {
  CHECK(reasonOf(without(kStore, 5), 3, IntervalWait::Fence) ==
        "no fence stands between the access and the second clock");
  CHECK(reasonOf(waitingForNothing(kStore, 6), 3, IntervalWait::Fence) ==
        "the second clock is read before the fence is over");
  CHECK(reasonOf(exchanged(kStore, 3, 6), 3, IntervalWait::Fence) ==
        "no fence stands between the access and the second clock");
}

TEST_CASE("an access that has left its interval is refused") {
  const std::string gone = "the access is not between its clocks";
  CHECK(reasonOf(without(kLoad, 3), 1, IntervalWait::Value) == gone);
  CHECK(reasonOf(exchanged(kLoad, 0, 3), 1, IntervalWait::Value) == gone);
  CHECK(reasonOf(without(kLoad, 3), 1, IntervalWait::Nothing) == gone);
  // What is between is the access of another interval.
  auto nested = kLoad;
  nested.insert(nested.begin() + 3, kLoad[0]);
  CHECK(reasonOf(nested, 1, IntervalWait::Value) == gone);
}

TEST_CASE("an interval that is not found is refused, and one that is there twice must be right twice") {
  CHECK(reasonOf(kLoad, 2, IntervalWait::Value) == "its clocks are not found in the machine code");
  CHECK(reasonOf(without(kLoad, 1), 1, IntervalWait::Value) == "no first clock is read in front of it");
  auto twice = kLoad;
  const auto wrong = waitingForNothing(kLoad, 4);
  twice.insert(twice.end(), wrong.begin(), wrong.end());
  CHECK(reasonOf(twice, 1, IntervalWait::Value) == "the second clock is read before the access is over");
  CHECK(auditIntervals({{1, IntervalWait::Value, ""}, {3, IntervalWait::Fence, ""}},
                       {read(kLoad), read(kStore)})
            .empty());
}

TEST_CASE("the pass's list is read") {
  const auto intervals = readIntervals("1\t1\t/a/heat.cu:3:10\n2\t2\tf(int, char)\n");
  REQUIRE(intervals.size() == 2);
  CHECK((intervals[0].number == 1 && intervals[0].wait == IntervalWait::Value));
  CHECK(intervals[0].place == "/a/heat.cu:3:10");
  CHECK((intervals[1].wait == IntervalWait::Fence && intervals[1].place == "f(int, char)"));
  CHECK(readIntervals("").empty());
}

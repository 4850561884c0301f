/// Traces of timed launches: when each access began, and how many cycles it took.
#ifndef CUPR_TEST_TIMED_TRACE_H
#define CUPR_TEST_TIMED_TRACE_H

#include "trace_builder.h"

namespace cupr::test {

/// Of the last site of a table.
inline void timed(SiteTableBlob &blob, abi::SpaceVerdict space = abi::SpaceVerdict::Global) {
  blob.space(space, abi::kSiteClock | abi::kSiteDuration);
}

struct TimedAccess {
  std::uint32_t site = 0;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0, sm = 0;
  std::uint64_t base = 0x10000; ///< of lane 0; each lane's is `stride` bytes further
  std::int64_t stride = 4;
  std::uint64_t start = 0;
  std::uint32_t duration = 0;
  std::uint32_t mask = 0xffffffffu;
};

/// `startOf(lane)` and `durationOf(lane)`: what each lane measured.
template <typename Start, typename Duration>
void addTimed(Words &words, const TimedAccess &of, Start startOf, Duration durationOf) {
  abi::WarpAccess access{};
  access.site = of.site;
  access.laneMask = of.mask;
  access.cta = of.cta;
  access.warp = of.warp;
  access.sm = of.sm;
  for (unsigned lane = 0; lane < abi::kLanes; ++lane)
    access.address[lane] = of.base + static_cast<std::uint64_t>(of.stride * lane);
  words.add(access);
  words.values(abi::kPieceBytesMax, of.mask, startOf);
  words.values(abi::kDurationBytes, of.mask, durationOf);
}
/// All lanes alike.
inline void addTimed(Words &words, const TimedAccess &of) {
  addTimed(
      words, of, [&](unsigned) { return of.start; }, [&](unsigned) { return std::uint64_t{of.duration}; });
}

/// Two warps load a row each, and store it 128 bytes apart; the lanes of the second one were not together, and one of its accesses took
/// longer than can be said. Then the same launch again, untimed.
inline void writeTimedTrace(const std::string &path) {
  SiteTableBlob blob;
  const std::uint32_t load = blob.site(abi::Operation::Load, 4, "t.cu", 3);
  timed(blob);
  const std::uint32_t store = blob.site(abi::Operation::Store, 4, "t.cu", 4);
  timed(blob);
  const std::uint32_t plain = blob.site(abi::Operation::Load, 4, "t.cu", 3);
  TraceBuilder trace(path);
  trace.table(blob);
  trace.allocate(0x10000, 0x4000);
  trace.withValues();
  trace.timed(abi::LatencyScheme::Dependency);
  Words words;
  constexpr std::uint64_t kBegin = 5'000'000'000'000;
  for (std::uint32_t time = 0; time < 3; ++time)
    addTimed(words,
             {.site = load, .sm = 2, .start = kBegin + 1000 * time, .duration = time == 0 ? 612u : 33u});
  addTimed(words,
           {.site = store, .sm = 2, .base = 0x12000, .stride = 128, .start = kBegin + 4000, .duration = 90});
  addTimed(
      words, {.site = load, .warp = 1, .sm = 2, .base = 0x10080, .mask = 0xf00f},
      [](unsigned lane) { return kBegin + 100 + 7 * lane * lane; },
      [](unsigned lane) { return std::uint64_t{40} + lane % 3; });
  addTimed(words, {.site = store,
                   .warp = 1,
                   .sm = 2,
                   .base = 0x13000,
                   .stride = 128,
                   .start = kBegin + 9000,
                   .duration = UINT32_MAX,
                   .mask = 1});
  trace.run("timed(float*)", {1, 1, 1}, {64, 1, 1}, words);
  trace.withoutValues();
  trace.timed(abi::LatencyScheme::None);
  Words untimed;
  untimed.strided(plain, 0, 0, 0x10000, 4);
  trace.run("timed(float*)", {1, 1, 1}, {64, 1, 1}, untimed);
  trace.writer->finish();
}

} // namespace cupr::test

#endif

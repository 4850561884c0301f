/// Parts of slices make the accesses that the whole makes at the sites that are wanted.
#include "analysis/model/partial_slice.h"
#include "random_slice.h"
#include "slice_reference.h"
#include "unit/seed_count.h"

namespace partial_slice_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace cupr::test;

TEST_CASE("a part of a random slice makes those of its accesses that are wanted, each thread in its order",
          "[random]") {
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::size_t accesses = 0, instructions = 0, left = 0;
  for (unsigned seed = 1; seed <= test::seedCount(3000); ++seed) {
    CAPTURE(seed);
    const RandomSlice random(seed, seed % 2 ? RandomSlice::Kind::Any : RandomSlice::Kind::Regular);
    const auto isWanted = [&](std::uint32_t site) { return (seed >> site & 2) != 0; };
    const trace::Slice part = partialSlice(random.slice, isWanted);
    REQUIRE(trace::brokenSliceRule(part, 4) == "");
    instructions += random.slice.code.size();
    left += part.code.size();
    trace::Launch launch;
    launch.block = kBlocks[seed % std::size(kBlocks)];
    launch.grid = {2, 2, 1};
    launch.sliceValues = {seed % 3 ? seed * 0x9e3779b97f4a7c15ull : seed};
    DerivedBlock whole(random.slice, kLoads, launch, memory), run(part, kLoads, launch, memory);
    for (const std::uint64_t cta : {3u, 0u}) {
      ThreadAccesses expected = derived(whole, cta, launch, 100000);
      for (auto &[thread, its] : expected)
        std::erase_if(its, [&](const Access &access) { return !isWanted(access.site); });
      std::erase_if(expected, [](const auto &each) { return each.second.empty(); });
      REQUIRE(derived(run, cta, launch, 100000) == expected);
      for (const auto &[thread, its] : expected)
        accesses += its.size();
    }
  }
  CHECK(accesses > test::seedCount(500000));
  CHECK(left < instructions * 9 / 10);
}

TEST_CASE("of a loop from which nothing follows that is wanted no turn is made") {
  // for (i = 0; i < threadIdx.x; ++i) access site 0 at i; access site 1 at threadIdx.x
  trace::Slice slice;
  slice.inputs = {{static_cast<std::uint8_t>(SliceSource::ThreadX), 4, 0, 0, 0}};
  slice.constants = {0, 1};
  slice.registerCount = 5;
  slice.code = {
      {op(SliceOperation::Move), 64, 3, 1, 0, 0, 0},  {op(SliceOperation::LessUnsigned), 32, 4, 3, 0, 0, 0},
      {op(SliceOperation::Branch), 0, 6, 4, 3, 6, 0}, {op(SliceOperation::Access), 0, 0, 3, 0, 0, 0},
      {op(SliceOperation::Add), 32, 3, 3, 2, 0, 0},   {op(SliceOperation::Jump), 0, 0, 0, 1, 0, 0},
      {op(SliceOperation::Access), 0, 0, 0, 1, 0, 0}, {op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0}};
  REQUIRE(trace::brokenSliceRule(slice, 2) == "");
  trace::Launch launch;
  launch.block = {32, 1, 1};
  const LaunchMemory none;
  const auto stepsFor = [&](std::uint32_t wanted) {
    const trace::Slice part = partialSlice(slice, [&](std::uint32_t site) { return site == wanted; });
    DerivedBlock run(part, kLoads, launch, none);
    run.begin(0, 0);
    std::vector<trace::Word> words;
    const DerivedBlock::Progress progress = run.runFor(words, 100000);
    CHECK(progress.isDone);
    CHECK_FALSE(words.empty());
    return progress.steps;
  };
  CHECK(stepsFor(1) < 6);
  CHECK(stepsFor(0) > 32 * 4);
}

} // namespace partial_slice_test

/// One run of a slice for all blocks that are alike, against each of their threads run by itself.
#include "analysis/model/block_pattern.h"
#include "random_slice.h"
#include "slice_reference.h"
#include "unit/seed_count.h"

namespace block_family_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace cupr::test;

TEST_CASE("what one run says of blocks that are alike is what each of their threads would access",
          "[random]") {
  constexpr trace::Dim3 kGrids[] = {{40, 1, 1}, {17, 2, 1}, {1, 19, 2}, {1, 1, 16}};
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::size_t blocks = 0, alike = 0;
  for (unsigned seed = 1; seed <= test::seedCount(400); ++seed) {
    CAPTURE(seed);
    const RandomSlice random(seed, seed % 4 ? RandomSlice::Kind::Regular : RandomSlice::Kind::Any);
    REQUIRE(trace::brokenSliceRule(random.slice, 4) == "");
    trace::Launch launch;
    launch.block = kBlocks[seed % std::size(kBlocks)];
    launch.grid = kGrids[seed / 4 % std::size(kGrids)];
    launch.sliceValues = {seed % 3 ? 0x7f0000000000ull + 64ull * seed : seed};
    DerivedBlock run(random.slice, kLoads, launch, memory);
    const std::uint64_t all = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    for (std::uint64_t cta = seed % 5 % all; cta < all; cta += run.alike()) {
      std::vector<trace::Word> words;
      std::vector<std::int64_t> shifts;
      run.begin(cta, 5, all - cta);
      while (!run.runFor(words, words.size() + 64, &shifts).isDone) {
      }
      REQUIRE(run.alike() >= 1);
      REQUIRE(run.alike() <= all - cta);
      ++blocks;
      alike += run.alike() - 1;
      for (std::uint64_t place = 0; place < run.alike(); ++place) {
        std::vector<trace::Word> like;
        addLike(words, place, {cta + place, 5}, [&](std::size_t record) { return shifts.at(record); }, like);
        ThreadAccesses found;
        addAccesses(like, cta + place, launch, found);
        compare(found, random.slice, launch, cta + place);
      }
      if (seed % 8 == 0 && blocks % 3) // the other blocks of this one are left out: it takes long
        break;
    }
  }
  CHECK(blocks > test::seedCount(3000));
  CHECK(alike > test::seedCount(1500));
}

TEST_CASE("blocks are not alike where lanes of a warp grow differently from block to block") {
  // 3: block * 4; 4: block * 8; 5: whether the thread is below 4
  trace::Slice slice;
  for (const SliceSource source : {SliceSource::BlockX, SliceSource::ThreadX})
    slice.inputs.push_back({static_cast<std::uint8_t>(source), 4, 0, 0, 0});
  slice.constants = {4};
  slice.registerCount = 7;
  const std::vector<SliceInstruction> begin = {{op(SliceOperation::Multiply), 32, 3, 0, 2, 0, 0},
                                               {op(SliceOperation::Add), 32, 4, 3, 3, 0, 0},
                                               {op(SliceOperation::LessUnsigned), 32, 5, 1, 2, 0, 0}};
  const SliceInstruction access{op(SliceOperation::Access), 0, 0, 6, 0, 0, 0},
      exit{op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0};
  const auto check = [&](std::vector<SliceInstruction> then, std::uint64_t alike) {
    slice.code = begin;
    slice.code.insert(slice.code.end(), then.begin(), then.end());
    slice.code.insert(slice.code.end(), {access, exit});
    REQUIRE(trace::brokenSliceRule(slice, 4) == "");
    trace::Launch launch;
    launch.grid = {10, 1, 1};
    launch.block = {32, 1, 1};
    const LaunchMemory none;
    DerivedBlock run(slice, kLoads, launch, none);
    std::vector<trace::Word> words;
    run.begin(2, 5, 8);
    REQUIRE(run.runFor(words, 1000).isDone);
    CHECK(run.alike() == alike);
  };
  const auto choose = [](std::uint16_t yes, std::uint16_t no) {
    return SliceInstruction{op(SliceOperation::Choose), 0, 6, 5, yes, no, 0};
  };
  check({choose(3, 4)}, 1);
  check({choose(3, 1)}, 1);
  check({choose(3, 3)}, 8);
  // if (5) 6 = 3, behind 6 = 4 or 6 = 3 + 1
  const SliceInstruction branch{op(SliceOperation::Branch), 0, 6, 5, 5, 6, 0},
      move{op(SliceOperation::Move), 0, 6, 3, 0, 0, 0};
  check({{op(SliceOperation::Move), 0, 6, 4, 0, 0, 0}, branch, move}, 1);
  check({{op(SliceOperation::Add), 32, 6, 3, 1, 0, 0}, branch, move}, 8);
}

TEST_CASE("a shift by more than there is leaves the sign, and stands for one block") {
  // register 3 = block * 64 >> 2^64 - 1, access site 0 there
  trace::Slice slice;
  slice.inputs = {{static_cast<std::uint8_t>(SliceSource::BlockX), 4, 0, 0, 0}};
  slice.constants = {64, ~0ull};
  slice.registerCount = 4;
  slice.code = {{op(SliceOperation::Multiply), 64, 3, 0, 1, 0, 0},
                {op(SliceOperation::ShiftRightSigned), 64, 3, 3, 2, 0, 0},
                {op(SliceOperation::Access), 0, 0, 3, 0, 0, 0},
                {op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0}};
  REQUIRE(trace::brokenSliceRule(slice, 4) == "");
  trace::Launch launch;
  launch.grid = {10, 1, 1};
  launch.block = {32, 1, 1};
  const LaunchMemory none;
  DerivedBlock run(slice, kLoads, launch, none);
  std::vector<trace::Word> words;
  run.begin(2, 5, 8);
  REQUIRE(run.runFor(words, 1000).isDone);
  CHECK(run.alike() == 1);
  ThreadAccesses found;
  addAccesses(words, 2, launch, found);
  compare(found, slice, launch, 2);
}

} // namespace block_family_test

/// Slices run warp by warp, against an interpreter that runs one thread after the other.
#include "random_slice.h"
#include "slice_reference.h"
#include "unit/seed_count.h"

namespace derived_block_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace cupr::test;

TEST_CASE("random slices give what each of their threads would access, in its order", "[random]") {
  constexpr trace::Dim3 kGrids[] = {{3, 1, 1}, {2, 2, 1}, {1, 2, 3}};
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::size_t accesses = 0;
  for (unsigned seed = 1; seed <= test::seedCount(3000); ++seed) {
    CAPTURE(seed);
    const RandomSlice random(seed);
    REQUIRE(trace::brokenSliceRule(random.slice, 4) == "");
    trace::Launch launch;
    launch.block = kBlocks[seed % std::size(kBlocks)];
    launch.grid = kGrids[seed % std::size(kGrids)];
    launch.sliceValues = {seed % 3 ? seed * 0x9e3779b97f4a7c15ull : seed};
    REQUIRE(random.slice.launchInputs() == 1);
    DerivedBlock run(random.slice, kLoads, launch, memory);
    for (const std::uint64_t cta :
         {std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z - 1, std::uint64_t{0}}) {
      const ThreadAccesses found = derived(run, cta, launch, seed % 2 ? 64 : 100000);
      accesses += compare(found, random.slice, launch, cta);
    }
  }
  CHECK(accesses > test::seedCount(1000000));
}

TEST_CASE("a slice without an end is left after each piece of work") {
  trace::Slice slice;
  slice.registerCount = 1;
  slice.code = {{op(SliceOperation::Jump), 0, 0, 0, 0, 0, 0}};
  REQUIRE(trace::brokenSliceRule(slice, 1) == "");
  trace::Launch launch;
  const LaunchMemory none;
  DerivedBlock run(slice, kLoads, launch, none);
  run.begin(0, 0);
  std::vector<trace::Word> words;
  for (int i = 0; i < 3; ++i) {
    const DerivedBlock::Progress progress = run.runFor(words, 100);
    CHECK_FALSE(progress.isDone);
    CHECK(progress.steps == DerivedBlock::kMostSteps);
  }
  CHECK(words.empty());
}

TEST_CASE("records behind a barrier come behind those of all warps before it") {
  // access site 0; barrier; access site 1
  trace::Slice slice;
  slice.inputs = {{static_cast<std::uint8_t>(SliceSource::ThreadX), 4, 0, 0, 0}};
  slice.registerCount = 1;
  slice.code = {{op(SliceOperation::Access), 0, 0, 0, 0, 0, 0},
                {op(SliceOperation::Barrier), 0, 0, 0, 0, 0, 0},
                {op(SliceOperation::Access), 0, 0, 0, 1, 0, 0},
                {op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0}};
  trace::Launch launch;
  launch.block = {100, 1, 1};
  const LaunchMemory none;
  DerivedBlock run(slice, kLoads, launch, none);
  run.begin(0, 0);
  std::vector<trace::Word> words;
  CHECK(run.runFor(words, 100).isDone);
  std::vector<std::uint32_t> sites;
  for (std::size_t at = 0; at < words.size(); at += abi::kHeadWords) {
    abi::RecordHead head;
    std::memcpy(&head, &words[at], sizeof head);
    sites.push_back(abi::siteOf(head.siteAndForm));
  }
  CHECK(sites == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("memory is looked up over the ends of pieces, and nowhere else") {
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  for (std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{abi::kPieceBytes - 3}, kMemoryBytes - 8})
    for (unsigned bytes = 1; bytes <= 8; ++bytes) {
      std::uint64_t expected = 0;
      std::memcpy(&expected, &kBytes[offset], bytes);
      CHECK(memory.at(kMemory + offset, bytes) == expected);
    }
  CHECK_THROWS_AS(memory.at(kMemory - 1, 4), UnknownMemory);
  CHECK_THROWS_AS(memory.at(kMemory + kMemoryBytes - 3, 4), UnknownMemory);
  CHECK_THROWS_AS(memory.at(0, 1), UnknownMemory);
  CHECK(memory.meets(kMemory - 3, 4));
  CHECK_FALSE(memory.meets(kMemory - 4, 4));
  CHECK(memory.meets(kMemory + kMemoryBytes - 1, 4));
  CHECK_FALSE(memory.meets(kMemory + kMemoryBytes, 4));
}

TEST_CASE("a launch that writes to the memory that it looks up is not derived") {
  // load threadIdx.x from a parameter's address; access site 0 there
  trace::Slice slice;
  slice.inputs = {{static_cast<std::uint8_t>(SliceSource::Parameter), 8, 0, 0, 0},
                  {static_cast<std::uint8_t>(SliceSource::ThreadX), 4, 0, 0, 0}};
  slice.registerCount = 4;
  slice.code = {{op(SliceOperation::Add), 64, 2, 0, 1, 0, 0},
                {op(SliceOperation::Load), 8, 3, 2, 0, 0, 0},
                {op(SliceOperation::Access), 0, 0, 2, 0, 0, 0},
                {op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0}};
  REQUIRE(trace::brokenSliceRule(slice, 4) == "");
  trace::Launch launch;
  launch.block = {32, 1, 1};
  launch.sliceValues = {kMemory};
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::vector<trace::Site> sites(4);
  sites[0].bytes = 1;
  std::vector<trace::Word> words;
  DerivedBlock reads(slice, sites, launch, memory);
  reads.begin(0, 0);
  CHECK(reads.runFor(words, 100).isDone);
  sites[0].operation = abi::Operation::Store;
  DerivedBlock writes(slice, sites, launch, memory);
  writes.begin(0, 0);
  CHECK_THROWS_AS(writes.runFor(words, 100), UnknownMemory);
}

TEST_CASE("slices that break a rule are refused") {
  const trace::Slice good = RandomSlice(1).slice;
  REQUIRE(trace::brokenSliceRule(good, 4) == "");
  CHECK(trace::brokenSliceRule(good, 0) == "a slice names a site that is not there");
  trace::Slice bad = good;
  bad.code.push_back({op(SliceOperation::Barrier), 0, 0, 0, 0, 0, 0});
  CHECK(trace::brokenSliceRule(bad, 4) == "a slice does not end in an exit or a jump");
  bad = good;
  bad.registerCount = 3;
  CHECK(trace::brokenSliceRule(bad, 4) == "a slice has fewer registers than inputs and constants");
  bad = good;
  bad.code[0].operation = abi::kSliceOperations;
  CHECK(trace::brokenSliceRule(bad, 4) == "an instruction of a slice is unknown");
  bad = good;
  bad.code[0] = {op(SliceOperation::Load), 12, bad.code[0].result, 0, 0, 0, 0};
  bad.code[0].result = static_cast<std::uint16_t>(bad.registerCount - 1);
  CHECK(trace::brokenSliceRule(bad, 4) ==
        "an instruction of a slice has a width that is not a multiple of 8");
  bad = good;
  bad.inputs[0] = {static_cast<std::uint8_t>(SliceSource::Shared), 4, 0, 4, 0};
  CHECK(trace::brokenSliceRule(bad, 4) == "an input of a slice names a site that is not there");
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) { // no byte of an instruction lets one out of the slice
    bad = good;
    SliceInstruction &spoiled = bad.code[random() % bad.code.size()];
    reinterpret_cast<unsigned char *>(&spoiled)[random() % sizeof spoiled] =
        static_cast<unsigned char>(random());
    if (!trace::brokenSliceRule(bad, 4).empty())
      continue;
    trace::Launch launch;
    launch.sliceValues = {random()};
    DerivedBlock run(bad, kLoads, launch, memory);
    run.begin(0, 0);
    std::vector<trace::Word> words;
    try {
      run.runFor(words, 10000);
    } catch (const UnknownMemory &) { // an address that is spoiled
    }
  }
}

TEST_CASE("how many blocks a launch records") {
  trace::Launch launch;
  launch.grid = {5, 4, 1};
  CHECK(trace::selectedBlocks(launch) == 20);
  launch.ctas = {3, 17, 1};
  CHECK(trace::selectedBlocks(launch) == 14);
  launch.ctas = {3, 17, 4}; // 4, 8, 12, 16
  CHECK(trace::selectedBlocks(launch) == 4);
  launch.ctas = {0, UINT64_MAX, 7}; // 0, 7, 14
  CHECK(trace::selectedBlocks(launch) == 3);
  launch.ctas = {40, UINT64_MAX, 1};
  CHECK(trace::selectedBlocks(launch) == 0);
}

} // namespace derived_block_test

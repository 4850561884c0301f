/// Where a batch ends in the middle of a chunk.
#include "analysis/engine/decoded_batch.h"

#include <catch2/catch.hpp>
#include <tuple>
#include <vector>

namespace decoded_batch_test {

using namespace cupr::analysis;

namespace {

MemoryStep stepOf(MemoryStep::Kind kind, LaunchIndex launch = kHost, std::size_t chunk = 0) {
  MemoryStep step{kind};
  step.launch = launch;
  step.chunk = chunk;
  return step;
}

/// Launch 0 has chunks 0 and 1, launch 1 has chunk 2.
void fill(DecodedBatch &batch) {
  batch.batch.steps = {stepOf(MemoryStep::Begin, 0),   stepOf(MemoryStep::Runs, 0, 0),
                       stepOf(MemoryStep::Runs, 0, 1), stepOf(MemoryStep::End, 0),
                       stepOf(MemoryStep::Begin, 1),   stepOf(MemoryStep::Runs, 1, 2),
                       stepOf(MemoryStep::End, 1)};
  batch.batch.chunks = {{.launch = 0, .chunk = 0, .number = 1},
                        {.launch = 0, .chunk = 1, .number = 2},
                        {.launch = 1, .chunk = 0, .number = 3}};
  for (std::size_t i = 0; i < 3; ++i)
    batch.runs[i].records = 10 + i;
}

std::vector<std::tuple<MemoryStep::Kind, LaunchIndex, std::size_t>> stepsOf(const DecodedBatch &batch) {
  std::vector<std::tuple<MemoryStep::Kind, LaunchIndex, std::size_t>> steps;
  for (const MemoryStep &step : batch.batch.steps)
    steps.emplace_back(step.kind, step.launch, step.chunk);
  return steps;
}

} // namespace

TEST_CASE("a batch whose chunks are all there is not taken apart") {
  DecodedBatch batch(4), rest(4);
  fill(batch);
  batch.restart(5);
  CHECK(batch.missing() == 3);
  CHECK(!batch.split(rest));
  const std::uint64_t behind = batch.next();
  rest.restart(6);
  CHECK(rest.number() == behind);
  CHECK(DecodedBatch::isBefore(5, behind));
  CHECK(!DecodedBatch::isBefore(6, behind));
}

TEST_CASE("a batch ends in the middle of a chunk, and the rest goes on in its launch") {
  DecodedBatch batch(4), rest(4), last(4);
  fill(batch);
  batch.restart(5);
  batch.runs[1].nextRecord = 7;
  batch.runs[2].nextRecord = 9;
  REQUIRE(batch.split(rest));
  using enum MemoryStep::Kind;
  using Steps = decltype(stepsOf(batch));
  CHECK(stepsOf(batch) == Steps{{Begin, 0, 0}, {Runs, 0, 0}, {Runs, 0, 1}});
  CHECK(batch.batch.chunks.size() == 2);
  CHECK(batch.next() == rest.number());
  CHECK(!DecodedBatch::isBefore(5, rest.number()));

  CHECK(stepsOf(rest) ==
        Steps{{Begin, 0, 0}, {Runs, 0, 0}, {End, 0, 0}, {Begin, 1, 0}, {Runs, 1, 1}, {End, 1, 0}});
  REQUIRE(rest.batch.chunks.size() == 2);
  CHECK(rest.batch.chunks[0].number == 2);
  CHECK(rest.batch.chunks[0].firstRecord == 7);
  CHECK(rest.missing() == 1); // what the other chunk holds was decoded already
  CHECK(rest.runs[1].records == 12);

  rest.runs[0].nextRecord = 0;
  REQUIRE(rest.split(last));
  CHECK(last.batch.chunks[0].firstRecord == 9);
  CHECK(stepsOf(last) == Steps{{Begin, 1, 0}, {Runs, 1, 0}, {End, 1, 0}});
  last.runs[0].nextRecord = 0;
  CHECK(!last.split(batch));
  batch.restart(6);
  CHECK(last.next() == batch.number());
}

} // namespace decoded_batch_test

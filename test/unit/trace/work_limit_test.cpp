/// What a file may ask for, by its size.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/work_limit.h"
#include "small_trace.h"

#include <catch2/catch.hpp>

using namespace cupr;
using namespace cupr::trace;

namespace {

std::string place() { return "message 7: its records"; }

} // namespace

TEST_CASE("a file may ask for what goes with its size, and no more") {
  WorkLimit limit("/tmp/a.cuprtrace", 1000);
  constexpr std::uint64_t kMost = WorkLimit::kFreeSteps;
  CHECK(limit.has(kMost, 0));
  CHECK_FALSE(limit.has(kMost + 1, 0));
  limit.spend(kMost - 1, place);
  limit.spend(1, place);
  CHECK_FALSE(limit.has(1, 0));
  try {
    limit.spend(1, place);
    FAIL("nothing is refused");
  } catch (const TooMuch &refused) {
    CHECK(std::string(refused.what()) == "/tmp/a.cuprtrace: message 7: its records takes more work than a "
                                         "file of its size may ask for (1000 bytes); "
                                         "if the file is to be trusted, --any-size goes on");
  }
}

TEST_CASE("a large file may ask for more than any file may") {
  constexpr std::uint64_t kBytes = 2 * WorkLimit::kFreeSteps / WorkLimit::kStepsPerByte;
  const WorkLimit limit("a", kBytes);
  CHECK(limit.has(2 * WorkLimit::kFreeSteps, kBytes * WorkLimit::kBytesPerByte));
  CHECK_FALSE(limit.has(2 * WorkLimit::kFreeSteps + 1, 0));
  CHECK_FALSE(limit.has(0, kBytes * WorkLimit::kBytesPerByte + 1));
}

TEST_CASE("sums that would run over are refused") {
  WorkLimit limit("a", 0);
  CHECK_THROWS_AS(limit.spend(UINT64_MAX, place), TooMuch);
  CHECK_THROWS_AS(limit.keep(UINT64_MAX, place), TooMuch);
  limit.spend(1, place);
  limit.keep(1, place);
  WorkLimit endless("a", UINT64_MAX);
  endless.spend(std::uint64_t{1} << 62, place);
}

TEST_CASE("memory that is free again may be asked for again") {
  WorkLimit limit("a", 0);
  for (int i = 0; i < 3; ++i) {
    limit.keep(WorkLimit::kFreeBytes, place);
    CHECK_FALSE(limit.has(0, 1));
    CHECK_THROWS_AS(WorkLimit("a", 0).keep(WorkLimit::kFreeBytes + 1, place), TooMuch);
    limit.release(WorkLimit::kFreeBytes);
  }
}

TEST_CASE("verify refuses what its limit doesn't let it unpack: the source text comes first") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  std::string error;
  CHECK(verify(*Reader::open(file.path(), error)).problems.empty());
  WorkLimit limit(file.path(), 0);
  limit.spend(WorkLimit::kFreeSteps - 1, place);
  const auto reader = Reader::open(file.path(), error);
  CHECK_THROWS_WITH(verify(*reader, &limit), Catch::Contains("message 1: the text of a source"));
}

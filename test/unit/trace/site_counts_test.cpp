/// What the device has counted beside the records is compared with them, site by site.
#include "analysis/verify/verifier.h"
#include "counted_trace.h"
#include "hostlib/trace/reader.h"

#include <catch2/catch.hpp>

using namespace cupr;
using namespace cupr::trace;

namespace {

/// What verify finds in a trace of one launch that records 32 accesses at site 0 and 16 at site 1, and ends
/// like this.
Verdict verdictOn(std::optional<std::vector<SiteCount>> counts, std::uint64_t dropped = 0,
                  const std::string &reason = "") {
  test::TemporaryFile file;
  test::writeCountedTrace(file.path(), std::move(counts), dropped, reason);
  std::string error;
  const auto reader = Reader::open(file.path(), error);
  REQUIRE(reader);
  Verdict verdict = verify(*reader);
  for (std::string &problem : verdict.problems)
    problem.erase(0, file.path().size() + 2); // the path, and ": "
  return verdict;
}

using Counted = std::vector<SiteCount>;
using Problems = std::vector<std::string>;

} // namespace

TEST_CASE("a launch whose counts are those of its records is whole") {
  const Verdict verdict = verdictOn(Counted{{0, 32}, {1, 16}});
  CHECK(verdict.problems == Problems{});
  CHECK(verdict.counted == 1);
}

TEST_CASE("a launch whose accesses were not counted is not compared") {
  const Verdict verdict = verdictOn(std::nullopt);
  CHECK(verdict.problems == Problems{});
  CHECK(verdict.counted == 0);
}

TEST_CASE("a site with other accesses than the device counted is named") {
  CHECK(
      verdictOn(Counted{{0, 32}, {1, 17}}).problems ==
      Problems{
          "message 4: launch 1 (k()) is incomplete: the device counted 49 accesses, and 48 were recorded "
          "or dropped",
          "message 4: launch 1 (k()): the device counted 17 accesses of threads by the store at b.cuh:11:7, "
          "and the file has 16"});
  // A site that is not recorded at all, and one that is not counted.
  CHECK(
      verdictOn(Counted{{1, 16}, {2, 32}}).problems ==
      Problems{
          "message 4: launch 1 (k()): the device counted 0 accesses of threads by the load at a.cu:10:7, and "
          "the file has 32",
          "message 4: launch 1 (k()): the device counted 32 accesses of threads by the atomic add at "
          "a.cu:12:7, and the file has 0"});
  CHECK(verdictOn(Counted{{0, 32}, {1, 16}, {3, 1}}).problems.back() ==
        "message 4: launch 1 (k()): the device counted 1 accesses of threads by an access at site 3, which "
        "is not in "
        "the module, and the file has 0");
}

TEST_CASE("an empty list says that nothing was accessed") {
  CHECK(verdictOn(Counted{}).problems.size() == 3); // incomplete, and two sites
}

TEST_CASE("what was dropped is missing, and no more than that") {
  const std::string reason = "accesses were dropped";
  const auto incomplete = [&](const std::string &dropped) {
    return "message 4: launch 1 (k()) is incomplete: " + reason + ", " + dropped + " of them";
  };
  CHECK(verdictOn(Counted{{0, 34}, {1, 17}}, 3, reason).problems == Problems{incomplete("3")});
  CHECK(verdictOn(Counted{{0, 34}, {1, 16}}, 3, reason).problems ==
        Problems{
            incomplete("3"),
            "message 4: launch 1 (k()): the device counted 34 accesses of threads by the load at a.cu:10:7, "
            "and the file has 32",
            "message 4: launch 1 (k()) lacks 2 accesses, and says that 3 were dropped"});
  // More than was counted is wrong whatever was dropped.
  CHECK(verdictOn(Counted{{0, 36}, {1, 15}}, 4, reason).problems ==
        Problems{incomplete("4"),
                 "message 4: launch 1 (k()): the device counted 15 accesses of threads by the store at "
                 "b.cuh:11:7, and the file has 16"});
}

TEST_CASE("counts keep their rules in the file") {
  LaunchTotals totals;
  totals.end.id = LaunchId{1};
  Message message;
  totals.end.siteCounts = Counted{{2, 1}, {1, 1}};
  CHECK(decode(encode(totals), message) == "the sites of a launch's counts must ascend");
  totals.end.siteCounts = Counted{{1, 1}, {1, 1}};
  CHECK(decode(encode(totals), message) == "the sites of a launch's counts must ascend");
  totals.end.siteCounts = Counted{{1, 0}};
  CHECK(decode(encode(totals), message) == "a site's count must not be 0");
}

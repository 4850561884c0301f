#include "launcher/estimate.h"

#include <catch2/catch.hpp>

using namespace cupr::launcher;

namespace {

const char *const kLine =
    R"({"format":"cupr-summary","version":1,"sink":"null","pid":123,"program":"/a/\"b\"","launches":20,"traced":18,)"
    R"("records":1000,"words":2100,"accesses":32000,"accessBytes":128000,)"
    R"("forms":{"affine":{"records":900,"words":1800,"accesses":28800},"offset32":{"records":100,"words":1000,"accesses":3200}}})";

Counted counted(Counted::Form Counted::*form, std::uint64_t records, std::uint64_t accesses) {
  Counted result;
  result.records = records;
  result.accesses = accesses;
  result.*form = {records, accesses};
  return result;
}

} // namespace

TEST_CASE("a line of totals is read; what is no such line is refused") {
  const auto read = readCounted({kLine, kLine});
  REQUIRE(read.size() == 2);
  CHECK(read[1].program == "/a/\"b\"");
  CHECK(read[1].pid == 123);
  CHECK(read[1].launches == 20);
  CHECK(read[1].traced == 18);
  CHECK(read[1].records == 1000);
  CHECK(read[1].accesses == 32000);
  CHECK(read[1].accessBytes == 128000);
  CHECK(read[1].affine.records == 900);
  CHECK(read[1].offset32.accesses == 3200);
  CHECK(read[1].raw.records == 0);
  CHECK(readCounted({}).empty());
  for (const char *wrong : {"", "nonsense", "{", "[]", "{}", R"({"format":"cupr-summary","version":2})",
                            R"({"format":"cupr-summary","version":1,"pid":"x"})"})
    CHECK_THROWS_AS(readCounted({wrong}), std::exception);
}

TEST_CASE("an estimate is a range that grows with what was counted") {
  const Estimate none = estimate({});
  for (const auto form :
       {&Counted::affine, &Counted::rows, &Counted::offset32, &Counted::raw, &Counted::range}) {
    const Estimate one = estimate(counted(form, 1000, 32000)), two = estimate(counted(form, 2000, 64000));
    CHECK(none.low < one.low);
    CHECK(one.low < one.likely);
    CHECK(one.likely < one.high);
    CHECK(two.likely - none.likely == Approx(2 * (one.likely - none.likely)));
  }
}

TEST_CASE("records of few lanes cost more than those of full warps") {
  CHECK(estimate(counted(&Counted::affine, 1000, 1000)).likely >
        2 * estimate(counted(&Counted::affine, 1000, 32000)).low);
  CHECK(estimate(counted(&Counted::affine, 1000, 1000)).high >
        estimate(counted(&Counted::affine, 1000, 32000)).high);
}

TEST_CASE("lines say how sure the estimate is") {
  const auto lines = estimateLines(readCounted({kLine}).front());
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("20 launches, 18 of them traced; 1,000 warp records") != std::string::npos);
  CHECK(lines[2].find("10.0 % of the accesses are irregular") != std::string::npos);
}

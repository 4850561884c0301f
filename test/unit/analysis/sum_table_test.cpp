/// The tables against a map.
#include "analysis/engine/flow.h"
#include "analysis/engine/recent_sums.h"
#include "analysis/engine/sum_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <tuple>

namespace sum_table_test {

using namespace cupr::analysis;

namespace {

using Sums = std::map<std::tuple<unsigned, Act, std::uint32_t, std::uint32_t>,
                      std::pair<std::uint64_t, std::uint64_t>>;

Sums sumsOf(SumTable<Flow> &table) {
  Sums sums;
  table.forEach([&](const Flow &flow) {
    REQUIRE(sums.insert({{flow.dependence.number(), flow.first, flow.firstCta, flow.cta},
                         {flow.bytes, flow.operations}})
                .second);
  });
  return sums;
}

} // namespace

TEST_CASE("flows add up, also over a stay on disk, and are gone when cleared") {
  std::mt19937 random(1);
  SumTable<Flow> table;
  for (const unsigned count : {3u, 20000u, 19000u, 5u}) {
    Sums expected;
    for (unsigned i = 0; i < count; ++i) {
      const DependenceClass dependence{static_cast<DependenceKind>(random() % 3),
                                       static_cast<DependenceOrder>(random() % 3)};
      const Act first{1 + static_cast<std::uint32_t>(random() % 3)};
      const std::uint32_t firstCta = random() % 30, cta = random() % 30;
      const std::uint64_t bytes = random() % 100, operations = random() % 10;
      table.add({dependence, first, firstCta, cta, bytes, operations});
      auto &sum = expected[{dependence.number(), first, firstCta, cta}];
      sum.first += bytes;
      sum.second += operations;
      if (i == 1000) {
        const UnnamedFile file = unnamedFile();
        table.save(file.get());
        CHECK(table.bytes() == 0);
        std::rewind(file.get());
        table.load(file.get());
      }
    }
    CHECK(sumsOf(table) == expected);
    table.clear();
    CHECK(sumsOf(table).empty());
  }
  CHECK(table.bytes() < 10000); // little was needed last
}

TEST_CASE("recent sums come to what was added, whether they had room or not") {
  std::mt19937 random(2);
  RecentSums<Flow> recent;
  for (const std::uint32_t ctas : {3u, 1000u, 10u}) {
    Sums sums, expected;
    std::size_t handedOn = 0;
    const auto handOn = [&](const Flow &flow) {
      auto &sum = sums[{flow.dependence.number(), flow.first, flow.firstCta, flow.cta}];
      sum.first += flow.bytes;
      sum.second += flow.operations;
      ++handedOn;
    };
    for (unsigned i = 0; i < 20000; ++i) {
      const auto firstCta = static_cast<std::uint32_t>(random() % ctas),
                 cta = static_cast<std::uint32_t>(random() % ctas);
      const Flow flow{{}, Act{1}, firstCta, cta, random() % 100, random() % 10};
      recent.add(flow, handOn);
      auto &sum = expected[{flow.dependence.number(), flow.first, flow.firstCta, flow.cta}];
      sum.first += flow.bytes;
      sum.second += flow.operations;
    }
    CHECK((ctas != 1000 || handedOn > 10000)); // more than there is room for
    CHECK(recent.bytes() <= 2048 * sizeof(Flow));
    recent.handOnAll(handOn);
    CHECK(sums == expected);
    const std::size_t before = handedOn;
    recent.handOnAll(handOn);
    CHECK(handedOn == before);
  }
  CHECK(recent.bytes() == 0); // nothing was needed last
}

} // namespace sum_table_test

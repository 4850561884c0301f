/// Sums of transfers on disk and in memory against a map.
#include "analysis/engine/transfer_sum.h"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace transfer_sum_test {

using namespace cupr::analysis;

namespace {

using Ends = std::array<std::uint64_t, 3>;
using Sums = std::map<Ends, std::pair<std::uint64_t, std::uint64_t>>; ///< bytes and operations

Ends endsOf(const Transfer &transfer) {
  return {transfer.dependence.number(), transfer.acts(), transfer.ctas()};
}

Sums sumsOf(TransferSum &sum) {
  Sums sums;
  Transfer last{};
  sum.forEach([&](const Transfer &transfer) {
    REQUIRE((sums.empty() || last.before(transfer)));
    last = transfer;
    sums[endsOf(transfer)] = {transfer.bytes, transfer.operations};
  });
  return sums;
}

/// Of few kinds or of many, with CTAs of `bits` bits, and now and then with sums of more than 32 bits.
Transfer randomTransfer(std::mt19937_64 &random, unsigned bits, std::uint32_t launches) {
  const auto number = [&] { return static_cast<std::uint32_t>(random() >> (64 - bits)); };
  const std::uint32_t source = static_cast<std::uint32_t>(random() % launches);
  return {source == 0 ? kHost : source,
          source + 1,
          number(),
          number(),
          random() % 50 ? random() % 5 : random() >> 28,
          random() % 50 ? random() % 2 : random() >> 28,
          DependenceClass::ofNumber(static_cast<unsigned>(random() % 9))};
}

} // namespace

TEST_CASE("transfers add up in memory and on disk, whatever their ends") {
  for (const auto &[bits, launches] : {std::pair{3u, 2u}, {12u, 3u}, {32u, 1u}, {20u, 500u}}) {
    std::mt19937_64 random(bits);
    TransferSum sum(0), more(0), inMemory(1u << 26);
    Sums expected;
    for (unsigned i = 0; i < 20000; ++i) {
      const Transfer transfer = randomTransfer(random, bits, launches);
      (i % 3 == 0 ? sum : i % 3 == 1 ? more : inMemory).add(transfer);
      auto &[bytes, operations] = expected[endsOf(transfer)];
      bytes += transfer.bytes;
      operations += transfer.operations;
    }
    CHECK((bits == 3 || sum.runs() > 1));
    CHECK(inMemory.runs() == 0);
    sum.take(more);
    sum.take(inMemory);
    CHECK(sumsOf(more).empty());
    CHECK(sumsOf(sum) == expected);
    CHECK(sumsOf(sum) == expected); // once more
    std::size_t seen = 0;
    sum.forEachWhile([&](const Transfer &) { return ++seen != 100; });
    CHECK(seen == 100);
  }
}

} // namespace transfer_sum_test

/// What is taken from pages that were not full: records of which all has arrived, and nothing else.
#include "hostlib/runtime/queue/open_page.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace open_page_test {

using namespace cupr;

constexpr std::uint32_t kPageBytes = 4096;
using Words = std::vector<unsigned char>;

/// One record: of a launch, with addresses that follow each other or not.
Words record(std::mt19937_64 &random, std::uint64_t launch) {
  abi::WarpAccess access{};
  access.site = static_cast<std::uint32_t>(random() % 1000);
  access.laneMask = static_cast<std::uint32_t>(random()) | 1u;
  access.cta = random() % 100000 | abi::launchTag(launch);
  access.warp = static_cast<std::uint32_t>(random() % 32);
  const std::uint64_t base = 0x7f0000000000 + random() % (1u << 30), kind = random() % 3;
  for (unsigned lane = 0; lane < abi::kLanes; ++lane)
    access.address[lane] = base + (kind == 0   ? 4 * lane
                                   : kind == 1 ? random() % 100000
                                               : random() % (std::uint64_t{1} << 40));
  Words words(abi::kMaxRecordWords * abi::kWordBytes);
  words.resize(abi::encodeRecord(access, 0, words.data(), 0) * abi::kWordBytes);
  return words;
}

bool isZero(const unsigned char *bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](unsigned char byte) { return byte == 0; });
}

TEST_CASE("of a page that was not full the records are taken that have arrived as a whole", "[random]") {
  std::mt19937_64 random(5);
  std::size_t taken = 0, missing = 0;
  for (int round = 0; round < 2000; ++round) {
    Words page(kPageBytes), expected;
    for (std::size_t at = 0;;) {
      const Words whole = record(random, 1 + random() % 3);
      if (at + whole.size() > kPageBytes)
        break;
      Words here = whole;
      if (random() % 4 == 0) { // what follows, or all, is on its way
        const std::size_t arrived = random() % (here.size() / abi::kWordBytes) * abi::kWordBytes;
        std::memset(&here[arrived], 0, here.size() - arrived);
      }
      std::copy(here.begin(), here.end(), page.begin() + static_cast<std::ptrdiff_t>(at));
      at += whole.size();
      bool isWhole = abi::tagOf(reinterpret_cast<const abi::FirstWord *>(whole.data())->place) != 3;
      for (std::size_t word = 0; word < here.size(); word += abi::kWordBytes)
        isWhole = isWhole && !isZero(&here[word], abi::kWordBytes);
      if (isWhole)
        expected.insert(expected.end(), here.begin(), here.end());
      ++(isWhole ? taken : missing);
    }
    REQUIRE(host::arrivedRecords(page.data(), kPageBytes, {1, 2}) == expected); // launch 3 is over
  }
  CHECK(taken > 10000);
  CHECK(missing > 10000);
}

TEST_CASE("a page into which nothing was written has no records") {
  const Words page(kPageBytes);
  CHECK(host::arrivedRecords(page.data(), kPageBytes, {1}).empty());
}

} // namespace open_page_test

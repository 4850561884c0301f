/// Sums on disk and in memory against a map, and how their entries are sorted and packed.
#include "analysis/engine/sorted_sum.h"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <tuple>

namespace sorted_sum_test {

using namespace cupr::analysis;

namespace {

struct Entry {
  std::uint32_t a = 0, b = 0, c = 0;
  std::uint64_t bytes = 0;
  std::array<std::uint32_t, 3> key() const { return {a, b, c}; }
  bool before(const Entry &other) const { return key() < other.key(); }
  void add(const Entry &other) { bytes += other.bytes; }
};

using Sums = std::map<std::array<std::uint32_t, 3>, std::uint64_t>;

Sums sumsOf(SortedSum<Entry> &sum) {
  Sums sums;
  std::array<std::uint32_t, 3> last{};
  sum.forEach([&](const Entry &entry) {
    REQUIRE((sums.empty() || last < entry.key()));
    last = entry.key();
    sums[last] = entry.bytes;
  });
  return sums;
}

/// Keys of few bits, and keys of all bits, which sortByKey can't pack.
Entry randomEntry(std::mt19937_64 &random, unsigned bits) {
  const auto number = [&] { return static_cast<std::uint32_t>(random() >> (64 - bits)); };
  return {number(), 7, number(), random() % 2 ? random() % 5 : random()};
}

} // namespace

TEST_CASE("sums add up in memory and on disk, whatever the keys") {
  for (const unsigned bits : {5u, 12u, 32u}) {
    std::mt19937_64 random(bits);
    SortedSum<Entry> sum(0), more(0), inMemory(1u << 24);
    Sums expected;
    for (unsigned i = 0; i < 20000; ++i) {
      const Entry entry = randomEntry(random, bits);
      (i % 3 == 0 ? sum : i % 3 == 1 ? more : inMemory).add(entry);
      expected[entry.key()] += entry.bytes;
    }
    CHECK((bits == 5 || sum.runs() > 1));
    CHECK(inMemory.runs() == 0);
    sum.take(more);
    sum.take(inMemory);
    CHECK(sumsOf(more).empty());
    CHECK(sumsOf(sum) == expected);
    CHECK(sumsOf(sum) == expected); // once more
  }
}

TEST_CASE("entries are sorted by their keys, and by those of too many bits not at all") {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0u, 1u, 2u, 5000u}) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < count; ++i)
      entries.push_back(randomEntry(random, 20));
    std::vector<Entry> expected = entries;
    std::sort(expected.begin(), expected.end(), [](const Entry &a, const Entry &b) { return a.before(b); });
    REQUIRE(sortByKey(entries));
    for (std::size_t i = 0; i < count; ++i)
      REQUIRE((entries[i].key() == expected[i].key() && entries[i].bytes == expected[i].bytes));
  }
  std::vector<Entry> wide{{1u << 31, 0, 1u << 31}, {0, 0, 0}};
  CHECK(!sortByKey(wide));
  CHECK(wide[0].a == 1u << 31);
}

TEST_CASE("packed entries come back as they were, and sorted ones are small") {
  std::mt19937_64 random(2);
  for (const bool isRandom : {false, true}) {
    const UnnamedFile file = unnamedFile();
    std::vector<Entry> entries;
    for (unsigned i = 0; i < 30000; ++i)
      entries.push_back(isRandom ? Entry{static_cast<std::uint32_t>(random()), 0, 0, random()}
                                 : Entry{3, i / 100, i % 100 * 7, 4});
    PackedEntryWriter<Entry> writer(file.get());
    for (const Entry &entry : entries)
      writer.add(entry);
    writer.finish();
    if (!isRandom)
      CHECK(std::ftell(file.get()) < static_cast<long>(entries.size() * 5));
    std::rewind(file.get());
    PackedEntryReader<Entry> reader(file.get());
    for (const Entry &entry : entries) {
      const Entry read = reader.next();
      REQUIRE((read.key() == entry.key() && read.bytes == entry.bytes));
    }
  }
}

} // namespace sorted_sum_test

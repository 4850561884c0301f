/// Sorting many entries without comparing them.
///
/// Scattered accesses make an entry each, and of random keys every comparison is a branch that the processor
/// guesses wrong half of the time. Sorting by digits takes a pass over the entries for each digit instead,
/// however many there are.
#ifndef CUPR_ANALYSIS_RADIX_SORT_H
#define CUPR_ANALYSIS_RADIX_SORT_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Stable, by the bits of `key(entry)` in which any two differ: a pass for every 11 of them, or a few less, so that passes
/// are alike. `spare`: room for as many.
template <typename Entry, typename Key>
void radixSort(std::vector<Entry> &entries, std::vector<Entry> &spare, Key key) {
  constexpr unsigned kMostBits = 11;
  std::uint64_t differing = 0;
  for (const Entry &entry : entries)
    differing |= key(entry) ^ key(entries.front());
  if (differing == 0)
    return;
  const auto first = static_cast<unsigned>(std::countr_zero(differing));
  const auto width = static_cast<unsigned>(std::bit_width(differing)) - first;
  const unsigned passes = (width + kMostBits - 1) / kMostBits, bits = (width + passes - 1) / passes;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const auto digit = [&, shift = first + pass * bits](std::uint64_t of) {
      return of >> shift & ((1u << bits) - 1);
    };
    if (digit(differing) == 0)
      continue;
    std::array<std::size_t, 1u << kMostBits> next;
    std::fill_n(next.begin(), 1u << bits, 0);
    for (const Entry &entry : entries)
      ++next[digit(key(entry))];
    std::size_t sum = 0;
    for (std::size_t i = 0; i < 1u << bits; ++i)
      next[i] = std::exchange(sum, sum + next[i]);
    spare.resize(entries.size());
    for (const Entry &entry : entries)
      spare[next[digit(key(entry))]++] = entry;
    entries.swap(spare);
  }
}

/// By `entry.key()`: some numbers, the most significant first. Such keys are wide, but in most of their bits
/// all entries of a table are the same: the others, one number's behind the other's, and the entry's place
/// fit into 64 bits. These are sorted, and then each entry is moved once. False: they don't fit, and nothing
/// has happened.
template <typename Entry> bool sortByKey(std::vector<Entry> &entries) {
  if (entries.empty())
    return true;
  using Key = decltype(entries.front().key()); // std::array<std::uint32_t, ...>
  const Key first = entries.front().key();
  Key differing{};
  for (const Entry &entry : entries) {
    const Key key = entry.key();
    for (std::size_t i = 0; i < key.size(); ++i)
      differing[i] |= key[i] ^ first[i];
  }
  std::array<unsigned, std::tuple_size_v<Key>> widths;
  for (std::size_t i = 0; i < differing.size(); ++i)
    widths[i] = static_cast<unsigned>(std::bit_width(differing[i]));
  const auto placeBits = static_cast<unsigned>(std::bit_width(entries.size() - 1));
  if (std::accumulate(widths.begin(), widths.end(), placeBits) > 64)
    return false;
  std::vector<std::uint64_t> order, spare;
  order.reserve(entries.size());
  for (const Entry &entry : entries) {
    const Key key = entry.key();
    std::uint64_t packed = 0;
    for (std::size_t i = 0; i < key.size(); ++i)
      packed = packed << widths[i] | (key[i] & ((std::uint64_t{1} << widths[i]) - 1));
    order.push_back(packed << placeBits | order.size());
  }
  radixSort(order, spare, [&](std::uint64_t packed) { return packed >> placeBits; });
  std::vector<Entry> sorted;
  sorted.reserve(entries.size());
  for (const std::uint64_t packed : order)
    sorted.push_back(entries[packed & ((std::uint64_t{1} << placeBits) - 1)]);
  entries.swap(sorted);
  return true;
}

/// What sortByKey needs besides, for each entry.
template <typename Entry> constexpr std::size_t kSortingBytes = sizeof(Entry) + 2 * sizeof(std::uint64_t);

} // namespace cupr::analysis

#endif

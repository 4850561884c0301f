/// Sums by key, in memory. All-to-all programs have millions of keys, so this is a hash table with open
/// addressing rather than a node per key.
#ifndef CUPR_ANALYSIS_SUM_TABLE_H
#define CUPR_ANALYSIS_SUM_TABLE_H

#include "analysis/model/unnamed_file.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace cupr::analysis {

/// `Entry`: a plain value with `sameKey(other)`, `hash()` of the key, `add(other)` for one with the same key,
/// and `isNone()`, which is true of Entry() and of no entry that is added. Not for several threads at once.
template <typename Entry> class SumTable {
  static_assert(std::is_trivially_copyable_v<Entry>);

public:
  /// To the entry with this key, made if it isn't there.
  void add(const Entry &more) {
    if (Entry &last = waiting_[(next_ - 1) % kWaiting].entry; !last.isNone() && last.sameKey(more))
      return last.add(more);
    Waiting &place = waiting_[next_++ % kWaiting];
    insert(place);
    place = {more, more.hash()};
    if (!places_.empty())
      __builtin_prefetch(&places_[place.hash & (places_.size() - 1)]);
  }

  template <typename Visitor> void forEach(Visitor visitor) {
    insertAll();
    for (const Entry &entry : places_)
      if (!entry.isNone())
        visitor(entry);
  }

  /// Keeps the room if most of it was needed: the next launch is often the same.
  void clear() {
    if (8 * count_ < places_.size())
      places_ = std::vector<Entry>();
    else
      std::fill(places_.begin(), places_.end(), Entry());
    count_ = 0;
    waiting_ = {};
  }
  /// Forgets all.
  void save(std::FILE *file) {
    insertAll();
    const std::uint64_t count = count_;
    writeAll(file, &count, sizeof count);
    saveVector(file, places_);
    *this = {};
  }
  void load(std::FILE *file) {
    std::uint64_t count = 0;
    readAll(file, &count, sizeof count);
    count_ = static_cast<std::size_t>(count);
    loadVector(file, places_);
  }
  /// About how many keys there are: not those of the last few that were added.
  std::size_t size() const { return count_; }
  /// Memory in use.
  std::uint64_t bytes() const { return places_.size() * sizeof(Entry); }

private:
  /// On its way to a place in the table, which is asked for before it is needed: where there are many keys,
  /// nearly every place has to come from memory.
  struct Waiting {
    Entry entry{};
    std::uint64_t hash = 0;
  };
  static constexpr std::size_t kWaiting = 8;

  Entry &find(const Entry &wanted, std::uint64_t hash) {
    assert(std::has_single_bit(places_.size()));
    const std::size_t mask = places_.size() - 1;
    std::size_t i = hash & mask;
    while (!places_[i].isNone() && !places_[i].sameKey(wanted))
      i = (i + 1) & mask;
    return places_[i];
  }

  /// Brings what waits to its place.
  void insert(Waiting &waiting) {
    if (waiting.entry.isNone())
      return;
    if (2 * (count_ + 1) > places_.size())
      grow();
    Entry &place = find(waiting.entry, waiting.hash);
    if (place.isNone()) {
      place = waiting.entry;
      ++count_;
    } else {
      place.add(waiting.entry);
    }
    waiting.entry = Entry();
  }
  void insertAll() {
    for (Waiting &waiting : waiting_)
      insert(waiting);
  }

  void grow() {
    std::vector<Entry> before(places_.empty() ? 64 : 2 * places_.size());
    before.swap(places_);
    for (const Entry &entry : before)
      if (!entry.isNone())
        find(entry, entry.hash()) = entry;
  }

  std::vector<Entry> places_; ///< a power of two
  std::size_t count_ = 0;
  std::array<Waiting, kWaiting> waiting_{};
  std::size_t next_ = 0;
};

} // namespace cupr::analysis

#endif

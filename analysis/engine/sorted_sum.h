/// Sums by key, of any number of keys: what doesn't fit in memory goes to disk as sorted runs, which are
/// merged when the sums are asked for. Runs are long and few: merging takes a step of a heap for each entry,
/// while sorting by digits (radix_sort.h) takes the same for any number.
#ifndef CUPR_ANALYSIS_SORTED_SUM_H
#define CUPR_ANALYSIS_SORTED_SUM_H

#include "analysis/model/unnamed_file.h"
#include "merged_sums.h"
#include "packed_entries.h"
#include "radix_sort.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <tbb/parallel_sort.h>
#include <type_traits>
#include <vector>

namespace cupr::analysis {

/// `Entry`: a plain value with `before(other)`, an order of keys, and `add(other)`, for one with the same
/// key; if it can have many, also with `key()`, for sortByKey in the same order. Not for several threads at
/// once.
template <typename Entry> class SortedSum {
  static_assert(std::is_trivially_copyable_v<Entry>);

public:
  using Summed = Entry;

  /// Keeps up to `memory` bytes.
  explicit SortedSum(std::uint64_t memory)
      : limit_(std::max<std::size_t>(1024, static_cast<std::size_t>(memory / kEntryBytes))) {}

  void add(const Entry &entry) {
    if (entries_.size() == limit_)
      makeRoom();
    if (entries_.size() == entries_.capacity()) // never room for more than the limit
      entries_.reserve(std::min(limit_, std::max(kBlockEntries, 2 * entries_.size())));
    entries_.push_back(entry);
  }

  /// What `other` has been given, which forgets it.
  void take(SortedSum &other) {
    std::move(other.runs_.begin(), other.runs_.end(), std::back_inserter(runs_));
    for (const Entry &entry : other.entries_)
      add(entry);
    other = SortedSum(0);
  }

  /// Calls `visitor(const Entry &)` for every key with its sum, ascending. May be called again.
  template <typename Visitor> void forEach(Visitor visitor) {
    forEachWhile([&](const Entry &entry) {
      visitor(entry);
      return true;
    });
  }
  /// The same, as long as the visitor returns true.
  template <typename Visitor> void forEachWhile(Visitor visitor) {
    combine();
    if (runs_.empty()) {
      for (const Entry &entry : entries_)
        if (!visitor(entry))
          return;
      return;
    }
    merge(visitor);
  }

  /// Files on disk.
  std::size_t runs() const { return runs_.size(); }

private:
  struct Run {
    UnnamedFile file;
    std::uint64_t entries;
  };
  /// Entries as they are read: of a run, or those in memory.
  class Cursor {
  public:
    explicit Cursor(const std::vector<Entry> &entries) : left_(entries.size()), next_(entries.data()) {}
    explicit Cursor(const Run &run) : left_(run.entries), reader_(run.file.get()) {
      std::rewind(run.file.get());
    }
    /// False: there are no more.
    bool next() {
      if (left_ == 0)
        return false;
      --left_;
      entry_ = next_ ? *next_++ : reader_->next();
      return true;
    }
    const Entry &entry() const { return entry_; }

  private:
    std::uint64_t left_;
    const Entry *next_ = nullptr; ///< null: the reader has it
    std::optional<PackedEntryReader<Entry>> reader_;
    Entry entry_{};
  };
  static constexpr std::size_t kBlockEntries = 4096;
  static constexpr bool kHasKey = requires(const Entry &entry) { entry.key(); };
  static constexpr std::size_t kEntryBytes = sizeof(Entry) + (kHasKey ? kSortingBytes<Entry> : 0);

  void sort() {
    if constexpr (kHasKey)
      if (sortByKey(entries_))
        return;
    tbb::parallel_sort(entries_.begin(), entries_.end(),
                       [](const Entry &a, const Entry &b) { return a.before(b); });
  }

  void combine() {
    sort();
    std::size_t kept = 0;
    for (const Entry &entry : entries_) {
      if (kept != 0 && !entries_[kept - 1].before(entry))
        entries_[kept - 1].add(entry);
      else
        entries_[kept++] = entry;
    }
    entries_.resize(kept);
  }

  void makeRoom() {
    combine();
    if (entries_.size() < limit_ / 2)
      return;
    Run run{unnamedFile(), entries_.size()};
    PackedEntryWriter<Entry> writer(run.file.get());
    for (const Entry &entry : entries_)
      writer.add(entry);
    writer.finish();
    runs_.push_back(std::move(run));
    entries_.clear();
  }

  template <typename Visitor> void merge(Visitor &visitor) {
    std::vector<Cursor> cursors;
    cursors.reserve(runs_.size() + 1);
    for (const Run &run : runs_)
      cursors.emplace_back(run);
    cursors.emplace_back(entries_);
    forEachMerged(cursors, visitor);
  }

  std::size_t limit_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
};

} // namespace cupr::analysis

#endif

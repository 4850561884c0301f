/// Sums by key, of any number of keys: what doesn't fit in memory goes to disk as sorted runs, which are
/// merged when the sums are asked for.
#ifndef CUPR_ANALYSIS_SORTED_SUM_H
#define CUPR_ANALYSIS_SORTED_SUM_H

#include "analysis/model/unnamed_file.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <tbb/parallel_sort.h>
#include <type_traits>
#include <vector>

namespace cupr::analysis {

/// `Entry`: a plain value with `before(other)`, an order of keys, and `add(other)`, for one with the same
/// key. Not for several threads at once.
template <typename Entry> class SortedSum {
  static_assert(std::is_trivially_copyable_v<Entry>);

public:
  /// Keeps up to `memory` bytes.
  explicit SortedSum(std::uint64_t memory)
      : limit_(std::max<std::size_t>(1024, static_cast<std::size_t>(memory / sizeof(Entry)))) {}

  void add(const Entry &entry) {
    if (entries_.size() == limit_)
      makeRoom();
    if (entries_.size() == entries_.capacity()) // never room for more than the limit
      entries_.reserve(std::min(limit_, std::max(kBlockEntries, 2 * entries_.size())));
    entries_.push_back(entry);
  }

  /// Calls `visitor(const Entry &)` for every key with its sum, ascending. May be called again.
  template <typename Visitor> void forEach(Visitor visitor) {
    combine();
    if (runs_.empty()) {
      for (const Entry &entry : entries_)
        visitor(entry);
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
  /// One run as it is read.
  struct Cursor {
    std::FILE *file = nullptr;
    std::uint64_t left = 0; ///< behind the block
    std::vector<Entry> block;
    const Entry *at = nullptr, *end = nullptr;

    /// False: there are no more.
    bool next() {
      if (at != end && ++at != end)
        return true;
      if (left == 0)
        return false;
      block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, kBlockEntries)));
      readAll(file, block.data(), block.size() * sizeof(Entry));
      left -= block.size();
      at = block.data();
      end = at + block.size();
      return true;
    }
  };
  static constexpr std::size_t kBlockEntries = 4096;

  void combine() {
    tbb::parallel_sort(entries_.begin(), entries_.end(),
                       [](const Entry &a, const Entry &b) { return a.before(b); });
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
    writeAll(run.file.get(), entries_.data(), entries_.size() * sizeof(Entry));
    runs_.push_back(std::move(run));
    entries_.clear();
  }

  template <typename Visitor> void merge(Visitor visitor) {
    std::vector<Cursor> cursors(runs_.size() + 1);
    const auto after = [&](std::size_t a, std::size_t b) { return cursors[b].at->before(*cursors[a].at); };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(after)> heads(after);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::rewind(runs_[i].file.get());
      cursors[i].file = runs_[i].file.get();
      cursors[i].left = runs_[i].entries;
      if (cursors[i].next())
        heads.push(i);
    }
    if (Cursor &inMemory = cursors.back(); !entries_.empty()) {
      inMemory.at = entries_.data();
      inMemory.end = inMemory.at + entries_.size();
      heads.push(runs_.size());
    }
    while (!heads.empty()) {
      Entry sum{};
      for (bool first = true; !heads.empty(); first = false) {
        const std::size_t i = heads.top();
        const Entry &entry = *cursors[i].at;
        if (!first && sum.before(entry))
          break;
        if (first)
          sum = entry;
        else
          sum.add(entry);
        heads.pop();
        if (cursors[i].next())
          heads.push(i);
      }
      visitor(sum);
    }
  }

  std::size_t limit_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
};

} // namespace cupr::analysis

#endif

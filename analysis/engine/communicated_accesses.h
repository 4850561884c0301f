/// Which accesses to chosen bytes take part in communication: what a history of addresses is filtered by.
///
/// A thread's read takes part if it meets what an earlier launch wrote; that is seen when it happens. A write
/// takes part if a later launch reads the version that it belongs to; that is a property of the byte and the
/// launch, so the bytes are noted when they are read, and the accesses are looked up in the end
/// (metrics/address_history.h). Both are kept outside of memory.
#ifndef CUPR_ANALYSIS_COMMUNICATED_ACCESSES_H
#define CUPR_ANALYSIS_COMMUNICATED_ACCESSES_H

#include "analysis/model/ordering.h"
#include "ranges.h"
#include "sorted_sum.h"

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace cupr::analysis {

/// Reads of the same bytes by threads of a CTA, at one site, that met what an earlier launch wrote.
struct CommunicatedRead {
  std::uint64_t address, bytes;
  LaunchIndex launch;
  std::uint32_t cta;
  std::uint32_t site; ///< as Communication::sites
  std::uint64_t threads;

  bool before(const CommunicatedRead &other) const;
  void add(const CommunicatedRead &other) { threads += other.threads; }
};

/// A read that reaches over the end of a page: what it is, and whether a part of it met something.
struct CutRead {
  std::uint64_t access; ///< its number in the trace
  CommunicatedRead read{};
  bool isKnown = false; ///< what it is
  bool meets = false;

  bool before(const CutRead &other) const { return access < other.access; }
  void add(const CutRead &other) {
    if (other.isKnown)
      read = other.read;
    isKnown = isKnown || other.isKnown;
    meets = meets || other.meets;
  }
};

/// Bytes that a launch wrote and a later one read.
struct CommunicatedBytes {
  LaunchIndex launch;
  Range range;

  bool before(const CommunicatedBytes &other) const {
    return range.begin != other.range.begin ? range.begin < other.range.begin : launch < other.launch;
  }
  void add(const CommunicatedBytes &other) { range.end = std::max(range.end, other.range.end); }
};

/// Sums over all of memory.
class CommunicatedAccesses {
public:
  /// `bytes`: the chosen ones. Keeps up to `memory` bytes in memory.
  CommunicatedAccesses(std::vector<Range> bytes, std::uint64_t memory);

  /// Calls `visitor(Range)` for the parts of `range` that are chosen, ascending.
  template <typename Visitor> void forEachChosen(const Range &range, Visitor visitor) const {
    auto at = std::upper_bound(bytes_.begin(), bytes_.end(), range.begin,
                               [](std::uint64_t begin, const Range &other) { return begin < other.end; });
    for (; at != bytes_.end() && at->begin < range.end; ++at)
      visitor(Range{std::max(range.begin, at->begin), std::min(range.end, at->end)});
  }

  /// By any number of threads at once.
  void add(std::span<const CommunicatedRead> reads, std::span<const CutRead> cutReads,
           std::span<const CommunicatedBytes> written);

  /// Calls `read(const CommunicatedRead &)` and `written(const CommunicatedBytes &)` for all that was added, and
  /// forgets it.
  template <typename Read, typename Written> void take(Read read, Written written) {
    cutReads_.forEach([&](const CutRead &cut) {
      if (cut.isKnown && cut.meets)
        reads_.add(cut.read);
    });
    cutReads_ = SortedSum<CutRead>(0);
    reads_.forEach(read);
    reads_ = SortedSum<CommunicatedRead>(0);
    written_.forEach(written);
    written_ = SortedSum<CommunicatedBytes>(0);
  }

private:
  std::vector<Range> bytes_; ///< ascending and disjoint
  std::mutex mutex_;         ///< for all of these
  SortedSum<CommunicatedRead> reads_;
  SortedSum<CutRead> cutReads_;
  SortedSum<CommunicatedBytes> written_;
};

/// What one shard tells of them.
class AccessNotes {
public:
  explicit AccessNotes(CommunicatedAccesses &all) : all_(all) {}

  /// Elements that lie one behind the other, the first of which is `first`, read `met`, ascending, of earlier
  /// launches. `access`: the number of an element that has parts in other pages, else 0. Returns how many
  /// notes that makes.
  std::size_t read(const CommunicatedRead &first, std::uint64_t access, std::span<const Range> met);
  /// A later launch reads `range`, which `launch` wrote.
  std::size_t written(LaunchIndex launch, const Range &range);
  /// Tells all that is new.
  void tell();

private:
  static constexpr std::size_t kMostNotes = 1u << 14;
  void tellIfMany() {
    if (reads_.size() + cutReads_.size() + written_.size() > kMostNotes)
      tell();
  }

  CommunicatedAccesses &all_;
  std::vector<CommunicatedRead> reads_;
  std::vector<CutRead> cutReads_;
  std::vector<CommunicatedBytes> written_;
};

} // namespace cupr::analysis

#endif

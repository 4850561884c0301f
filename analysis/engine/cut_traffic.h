/// What several GPUs would fetch from each other and keep, under each of many cuts: followed byte by byte, so
/// that what two CTAs of one GPU read in common counts once. docs/analysis.md has the definitions.
///
/// A shard tells of each byte, at the end of a launch, which CTAs have read it and who had written it before;
/// here that becomes GPUs, and sums.
#ifndef CUPR_ANALYSIS_CUT_TRAFFIC_H
#define CUPR_ANALYSIS_CUT_TRAFFIC_H

#include "allocation_map.h"
#include "communication.h"
#include "device_sets.h"
#include "ranges.h"
#include "shadow.h"
#include "sorted_sum.h"
#include "sum_table.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace cupr::analysis {

/// Bytes that one launch wrote on GPU `from` and another reads on GPU `to`, under one cut.
struct CutFlow {
  LaunchIndex destination = kHost, source = kHost;
  std::uint32_t cut = 0;
  std::uint16_t from = 0, to = 0;
  std::uint64_t bytes = 0;

  bool before(const CutFlow &other) const {
    return acts() != other.acts() ? acts() < other.acts() : route() < other.route();
  }
  // For SumTable.
  bool isNone() const { return destination == kHost; }
  bool sameKey(const CutFlow &other) const { return acts() == other.acts() && route() == other.route(); }
  std::uint64_t hash() const { return keyHash(acts(), route()); }
  void add(const CutFlow &more) { bytes += more.bytes; }

private:
  std::uint64_t acts() const { return pairOf(destination, source); }
  std::uint64_t route() const { return std::uint64_t{cut} << 32 | std::uint64_t{from} << 16 | to; }
};

/// Distinct bytes of an allocation that the CTAs of one GPU access while it lives.
struct CutMemory {
  std::uint32_t cut = 0, device = 0;
  std::uint32_t allocation = 0; ///< as Communication::allocations
  std::uint64_t bytes = 0;      ///< never 0, but for none

  bool before(const CutMemory &other) const {
    return place() != other.place() ? place() < other.place() : allocation < other.allocation;
  }
  bool isNone() const { return bytes == 0; }
  bool sameKey(const CutMemory &other) const {
    return place() == other.place() && allocation == other.allocation;
  }
  std::uint64_t hash() const { return keyHash(place(), allocation); }
  void add(const CutMemory &more) { bytes += more.bytes; }

private:
  std::uint64_t place() const { return pairOf(cut, device); }
};

/// Sums over all of memory. Added to by several threads.
class CutSums {
public:
  CutSums(const Model &model, std::vector<Placement> placements, std::uint64_t memory)
      : cuts(model, std::move(placements)), flows(memory), memories(memory), memory_(memory) {
    clear();
  }
  void clear() {
    flows = SortedSum<CutFlow>(memory_);
    memories = SortedSum<CutMemory>(memory_);
    fetchedOnce.assign(cuts.placements().size(), 0);
    hostFetchedOnce.assign(cuts.placements().size(), 0);
  }

  const Cuts cuts;
  SortedSum<CutFlow> flows;
  SortedSum<CutMemory> memories;
  /// By cut: bytes that GPUs fetch if each keeps what it has until it is written again; of those that launches
  /// wrote, and of those that the host did.
  std::vector<std::uint64_t> fetchedOnce, hostFetchedOnce;
  std::mutex mutex; ///< for all of these

private:
  const std::uint64_t memory_; ///< of each of the two
};

/// Reads the trace, as `communication` does, and adds to `cuts`; peers have no part in it. Throws as that
/// does.
void followCuts(const Model &model, CutSums &cuts, AnalysisOptions options);

/// Of one shard.
class CutTraffic {
public:
  /// Of a byte: the GPUs that have its value, and those that have accessed it since it was allocated.
  struct Held {
    DeviceSet holders = 0, touched = 0;
    friend bool operator==(const Held &, const Held &) = default;
  };

  explicit CutTraffic(CutSums &sums) : sums_(sums), sets_(sums.cuts) {}

  // What a launch does: `begin`; who has accessed what; `fetched`, `written` and `touched` for each part of
  // it; `end`.
  void begin(LaunchIndex launch) { launch_ = launch; }
  /// By byte: who reads what is not the CTA's own; who writes, and is not the last to do so.
  Shadow<DeviceSet> &readers() { return readers_; }
  Shadow<DeviceSet> &earlyWriters() { return earlyWriters_; }
  void add(Shadow<DeviceSet> &to, std::uint32_t cta, const Range &range);
  DeviceSet setOf(std::uint32_t cta) { return sets_.ofCta(launch_, cta); }
  DeviceSet unite(DeviceSet a, DeviceSet b) { return sets_.unite(a, b); }
  Shadow<Held> &held() { return held_; }
  /// `readers` of `bytes` that CTA `cta` of `source` wrote; source kHost: the host did.
  void fetched(std::uint64_t bytes, DeviceSet readers, LaunchIndex source, std::uint32_t cta, Held &held);
  void written(std::uint32_t cta, Held &held) { held.holders = setOf(cta); }
  /// `devices` access `range`.
  void touched(const Range &range, const AllocationMap &allocations, DeviceSet devices, Held &held);
  /// How many flows that were.
  std::uint64_t end();

  void hostWrites(const Range &range);
  /// What is in `source` goes so far behind, too, on the GPUs that hold it: when all is known, and the host has
  /// written there, `copy` does so.
  void willCopy(const Range &source, std::uint64_t distance);
  void copy();
  void forget(const Range &range) { held_.clear(range); }

  /// Tells the sums all that is new.
  void tell();
  /// Between two batches; tells the sums all.
  void save(std::FILE *file);
  void load(std::FILE *file);
  /// Memory in use, about.
  std::uint64_t bytes() const {
    return readers_.bytes() + earlyWriters_.bytes() + held_.bytes() + sets_.bytes() + changes_.bytes() +
           flows_.bytes() + memories_.bytes();
  }

private:
  /// Bytes for which the same happens in a launch, under all cuts.
  struct Change {
    enum Kind : std::uint32_t { None, Cross, Fetch, FetchFromHost, Touch };
    Kind kind = None;
    std::uint32_t index = 0;         ///< Cross: the source; Touch: the allocation
    DeviceSet before = 0, after = 0; ///< what concerns the GPUs in `after` that are not in `before`
    std::uint64_t bytes = 0;
    bool isNone() const { return kind == None; }
    bool sameKey(const Change &other) const {
      return kind == other.kind && index == other.index && before == other.before && after == other.after;
    }
    std::uint64_t hash() const { return keyHash(pairOf(kind, index), pairOf(before, after)); }
    void add(const Change &more) { bytes += more.bytes; }
  };
  // At a time.
  static constexpr std::size_t kMostSums = 1u << 16, kMostSets = 1u << 16;

  void count(const Change &change);
  void forgetUnusedSets();

  CutSums &sums_;
  DeviceSets sets_;
  LaunchIndex launch_ = kHost;
  Shadow<DeviceSet> readers_, earlyWriters_; ///< of the present launch
  Shadow<Held> held_;
  SumTable<Change> changes_; ///< of the present launch
  SumTable<CutFlow> flows_;
  SumTable<CutMemory> memories_;
  std::vector<std::uint64_t> fetchedOnce_, hostFetchedOnce_; ///< by cut
  std::vector<std::pair<Range, DeviceSet>> copied_;          ///< to where, by the present copy
  std::size_t usedSets_ = 0;                                 ///< when they were looked through last
};

} // namespace cupr::analysis

#endif

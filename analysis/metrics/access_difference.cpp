/// Three passes, of which most comparisons need the first only.
///
/// 1. Every access gets a digest of 128 bits, and every launch the sum of its accesses' digests, whatever
///    their order. Launches with equal sums and counts are taken for the same.
/// 2. Of a launch that differs, accesses are dealt to buckets by their digest. A bucket has the sum of one
///    side less that of the other: not 0 where an access is on one side only.
/// 3. The accesses of such buckets are counted one by one: nearly only those that differ, unless nearly all
///    do. Then as many buckets are looked at as memory allows.
#include "access_difference.h"

#include "analysis/engine/record_walk.h"
#include "analysis/model/names.h"
#include "analysis/output/progress.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <set>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <unistd.h>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cupr::analysis {

namespace {

using Digest = unsigned __int128;

XXH128_hash_t hashOf(const ThreadAccess &access) { return XXH3_128bits(&access, sizeof access); }

/// What the first pass keeps of a launch.
struct LaunchSum {
  Digest digest = 0;
  OperationCounts counts{};
  std::uint64_t local = 0, unknown = 0;

  void operator+=(const LaunchSum &other) {
    digest += other.digest;
    std::ranges::transform(counts, other.counts, counts.begin(), std::plus());
    local += other.local;
    unknown += other.unknown;
  }
};

/// Of trace::WorkLimit.
constexpr std::uint64_t kStepsPerThread = 40;

LaunchSum sumOfChunk(RecordStream &records, const AllocationMap &allocations, const RecordFilter &filter) {
  constexpr std::uint32_t kUnknown = ThreadAccess::placeIn(abi::MemorySpace::Global);
  LaunchSum sum;
  ThreadAccesses accesses(allocations);
  while (const Record *record = records.next()) {
    if (!filter.has(records.launch(), *record))
      continue;
    const std::span<const ThreadAccess> lanes = accesses.of(*record);
    records.spend(kStepsPerThread * abi::activeLanes(record->access.laneMask));
    for (const ThreadAccess &access : lanes) {
      const XXH128_hash_t hash = hashOf(access);
      sum.digest += static_cast<Digest>(hash.high64) << 64 | hash.low64;
      sum.unknown += access.place == kUnknown;
    }
    sum.counts[static_cast<std::size_t>(record->site->operation)] += lanes.size();
    sum.local += lanes.empty() ? abi::activeLanes(record->access.laneMask) : 0;
  }
  return sum;
}

/// The second pass. All threads add; no order is needed between them, and the end of the walk comes before
/// the first look.
class Buckets {
public:
  /// `sign`: 1 or -1, for the side.
  void add(const ThreadAccess &access, std::uint64_t sign) {
    const XXH128_hash_t hash = hashOf(access);
    Bucket &bucket = buckets_[hash.high64 % kBuckets];
    bucket.difference.fetch_add(hash.low64 * sign, std::memory_order_relaxed);
    bucket.accesses.fetch_add(1, std::memory_order_relaxed);
  }

  /// Chooses buckets that differ: as many as fit, and one at least. False: there are more.
  bool choose() {
    std::uint64_t left = kMostAccesses;
    bool any = false;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (buckets_[i].difference.load(std::memory_order_relaxed) == 0)
        continue;
      const std::uint64_t accesses = buckets_[i].accesses.load(std::memory_order_relaxed);
      if (any && accesses > left)
        return false;
      left -= std::min(left, accesses);
      any = true;
      chosen_[i] = 1;
    }
    return true;
  }
  bool isChosen(const ThreadAccess &access) const { return chosen_[hashOf(access).high64 % kBuckets]; }

private:
  static constexpr std::size_t kBuckets = std::size_t{1} << 20;
  static constexpr std::uint64_t kMostAccesses = std::uint64_t{1} << 21; ///< that the third pass keeps
  struct Bucket {
    std::atomic<std::uint64_t> difference = 0, accesses = 0;
  };
  std::vector<Bucket> buckets_{kBuckets};
  std::vector<char> chosen_ = std::vector<char>(kBuckets, 0);
};

struct AccessHash {
  std::size_t operator()(const ThreadAccess &access) const { return hashOf(access).low64; }
};
/// The third pass: how much more often the trace before has an access.
using AccessCounts = std::unordered_map<ThreadAccess, std::int64_t, AccessHash>;

/// One of the two traces.
struct WalkedSide {
  WalkedSide(const Model &model, const AccessDifferenceOptions &options)
      : model(model), filter(options.records, model), walk(model), sums(model.launches().size()) {
    const LaunchFilter selected(options.selected, model);
    for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch)
      if (const LaunchInfo &info = model.launches()[launch]; info.launch.traced && selected.has(info))
        traced.push_back(launch);
  }

  ComparedTrace compared() const {
    ComparedTrace result;
    result.launches = traced.size();
    for (const LaunchSum &sum : sums) {
      result.accesses += countOf(sum.counts);
      result.local += sum.local;
      result.unknown += sum.unknown;
    }
    return result;
  }

  const Model &model;
  const RecordFilter filter;
  RecordWalk walk;
  std::vector<LaunchSum> sums;     ///< by launch
  std::vector<LaunchIndex> traced; ///< in their order
};

class AccessComparison {
public:
  AccessComparison(const Model &before, const Model &after, const AccessDifferenceOptions &options)
      : options_(options), before_(before, options), after_(after, options),
        progress_("diff", stderr, ::isatty(STDERR_FILENO) != 0) {}

  AccessDifference run() {
    sum();
    AccessDifference result{before_.compared(), after_.compared(), 0, {}};
    const std::size_t most = std::max(before_.traced.size(), after_.traced.size());
    unsigned detailed = 0;
    for (std::size_t i = 0; i < most; ++i) {
      LaunchDifference launch = launchAt(i);
      if (launch.matches() && sumAt(before_, i).digest == sumAt(after_, i).digest &&
          launch.countsBefore == launch.countsAfter)
        continue;
      ++result.different;
      if (result.launches.size() == options_.launches)
        continue;
      if (launch.matches() && detailed < kDetailed) {
        ++detailed;
        launch.oneSided = oneSided(i);
      }
      result.launches.push_back(std::move(launch));
    }
    return result;
  }

private:
  static constexpr unsigned kDetailed = 4; ///< launches that get the second and third pass

  static const LaunchSum &sumAt(const WalkedSide &side, std::size_t position) {
    return side.sums[side.traced[position]];
  }

  LaunchDifference launchAt(std::size_t position) const {
    LaunchDifference launch;
    launch.position = position;
    if (position < before_.traced.size()) {
      launch.before = &before_.model.launches()[before_.traced[position]];
      launch.countsBefore = sumAt(before_, position).counts;
    }
    if (position < after_.traced.size()) {
      launch.after = &after_.model.launches()[after_.traced[position]];
      launch.countsAfter = sumAt(after_, position).counts;
    }
    return launch;
  }

  void sum() {
    std::uint64_t chunks = 0, done = 0;
    for (const WalkedSide *side : {&before_, &after_})
      for (const LaunchInfo &launch : side->model.launches())
        chunks += launch.chunks.size();
    progress_.start(chunks);
    for (WalkedSide *side : {&before_, &after_})
      side->walk.walk([&](LaunchIndex launch) { return std::ranges::binary_search(side->traced, launch); },
                      [&](RecordStream &records, const AllocationMap &allocations) {
                        return sumOfChunk(records, allocations, side->filter);
                      },
                      [&](LaunchIndex launch, const LaunchSum &chunk) {
                        side->sums[launch] += chunk;
                        ++done;
                        if (!options_.quiet)
                          progress_.look(done);
                      });
    progress_.finish();
  }

  /// `visit(ThreadAccess, sign, Result &)`, for all accesses of the launch at `position` in both traces;
  /// `take` gets the results, one for each chunk.
  template <typename Result, typename Visit, typename Take>
  void forEachAccess(std::size_t position, Visit visit, Take take) {
    for (WalkedSide *side : {&before_, &after_}) {
      const std::uint64_t sign = side == &before_ ? 1 : UINT64_MAX;
      side->walk.walk([&](LaunchIndex launch) { return launch == side->traced[position]; },
                      [&](RecordStream &records, const AllocationMap &allocations) {
                        Result result{};
                        ThreadAccesses accesses(allocations);
                        while (const Record *record = records.next()) {
                          if (!side->filter.has(records.launch(), *record))
                            continue;
                          records.spend(kStepsPerThread * abi::activeLanes(record->access.laneMask));
                          for (const ThreadAccess &access : accesses.of(*record))
                            visit(access, sign, result);
                        }
                        return result;
                      },
                      [&](LaunchIndex, const Result &result) { take(result); });
    }
  }

  OneSidedAccesses oneSided(std::size_t position) {
    struct Nothing {};
    Buckets buckets;
    forEachAccess<Nothing>(
        position,
        [&](const ThreadAccess &access, std::uint64_t sign, Nothing &) { buckets.add(access, sign); },
        [](Nothing) {});
    OneSidedAccesses result;
    result.areAll = buckets.choose();
    AccessCounts counts;
    forEachAccess<AccessCounts>(
        position,
        [&](const ThreadAccess &access, std::uint64_t sign, AccessCounts &chunk) {
          if (buckets.isChosen(access))
            chunk[access] += static_cast<std::int64_t>(sign);
        },
        [&](const AccessCounts &chunk) {
          for (const auto &[access, count] : chunk)
            counts[access] += count;
        });
    fill(result, counts);
    return result;
  }

  void fill(OneSidedAccesses &result, const AccessCounts &counts) const {
    std::set<std::uint64_t> ctas;
    std::vector<const AccessCounts::value_type *> found;
    for (const auto &entry : counts) {
      const auto &[access, count] = entry;
      if (count == 0)
        continue;
      (count > 0 ? result.before : result.after) += timesOf(count);
      ctas.insert(access.cta);
      found.push_back(&entry);
    }
    result.ctas = ctas.size();
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(options_.examples, found.size()));
    std::ranges::partial_sort(found, end, {}, [](const auto *entry) { return entry->first; });
    for (auto entry = found.begin(); entry != end; ++entry)
      result.examples.push_back({(*entry)->first, timesOf((*entry)->second), (*entry)->second > 0});
  }

  static std::uint64_t timesOf(std::int64_t count) { return static_cast<std::uint64_t>(std::abs(count)); }

  const AccessDifferenceOptions options_;
  WalkedSide before_, after_;
  Progress progress_;
};

} // namespace

std::uint64_t countOf(const OperationCounts &counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

bool LaunchDifference::matches() const {
  return before && after && shortName(before->kernel) == shortName(after->kernel) &&
         before->launch.grid == after->launch.grid && before->launch.block == after->launch.block;
}

AccessDifference accessDifference(const Model &before, const Model &after,
                                  const AccessDifferenceOptions &options) {
  const auto threads =
      options.threads ? options.threads : static_cast<unsigned>(tbb::info::default_concurrency());
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  return tbb::task_arena(static_cast<int>(threads)).execute([&] {
    return AccessComparison(before, after, options).run();
  });
}

} // namespace cupr::analysis

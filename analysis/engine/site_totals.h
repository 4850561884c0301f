/// What the records of each site of a launch add up to.
///
/// Chunks are looked at by all processors; of blocks that are alike (block_family.h) one is, and launches whose records are alike once.
/// What was found is kept.
#ifndef CUPR_ANALYSIS_SITE_TOTALS_H
#define CUPR_ANALYSIS_SITE_TOTALS_H

#include "analysis/engine/requests.h"
#include "analysis/engine/thread_readers.h"
#include "analysis/model/records.h"

#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cupr::analysis {

struct SiteTotal {
  std::uint64_t records = 0, accesses = 0 /* by threads; of executions their lanes */, bytes = 0;
  RequestFigures made; ///< of global memory, where requests are counted
  void add(const SiteTotal &other, std::uint64_t times);
};

/// By site of the launch's module, ascending.
using LaunchSiteTotals = std::vector<std::pair<std::uint32_t, SiteTotal>>;

class SiteTotals {
public:
  /// Requests take the addresses of all threads, the other figures don't.
  enum class Figures { Counts, Requests };
  explicit SiteTotals(const Model &model, RecordsOf wanted = RecordsOf::AllMemory)
      : model_(model), wanted_(wanted), readers_(model) {}

  /// Of launches, by their places in Model::launches(). Throws BadTrace, trace::TooMuch.
  void count(std::span<const std::size_t> launches, Figures figures);
  /// The same, of launches of which nothing was counted before; what is found is kept for the next question.
  void countAnew(std::span<const std::size_t> launches, Figures figures);
  /// Of one that was counted.
  const LaunchSiteTotals &of(const LaunchInfo &launch) const { return known_.at(keyOf(launch)).totals; }

private:
  class Look;
  struct Known {
    Figures figures = Figures::Counts;
    LaunchSiteTotals totals;
  };
  /// A chunk of a launch, or some blocks of one whose accesses are derived.
  struct Task {
    std::size_t launch; ///< among those that are counted
    std::size_t first, end;
  };
  static const void *keyOf(const LaunchInfo &launch) {
    return launch.derivedRecords ? launch.derivedRecords->likeness() : &launch;
  }
  void count(const LaunchInfo &launch, const Task &task, Look &look);

  const Model &model_;
  const RecordsOf wanted_;
  ThreadReaders readers_;
  std::unordered_map<const void *, Known> known_;
};

} // namespace cupr::analysis

#endif

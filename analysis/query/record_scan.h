/// Records of warps that a filter lets pass, launch by launch in the order of the host's calls.
///
/// Launches, chunks (chunk_zones.h) and records that can't have what is asked for are gone by.
#ifndef CUPR_ANALYSIS_RECORD_SCAN_H
#define CUPR_ANALYSIS_RECORD_SCAN_H

#include "analysis/model/live_allocations.h"
#include "open_trace.h"
#include "row_filter.h"

#include <optional>

namespace cupr::analysis {

/// Whether a launch may have records that pass.
bool passes(const OpenTrace &trace, const LaunchInfo &launch, const RowFilter &filter);

class RecordScan {
public:
  /// Both must outlive this.
  RecordScan(OpenTrace &trace, const RowFilter &filter, RecordsOf wanted);

  /// The next one, valid until the next call; null: there are no more. Throws BadTrace, trace::TooMuch.
  const Record *next();

  // Of the record that next() gave last.
  const Record &record() const { return *record_; }
  const LaunchInfo &launch() const { return *launch_; }
  const trace::Module &module() const { return *module_; }
  /// Id of its site.
  std::uint64_t site() const { return firstSite_ + record_->access.site; }
  /// Null where no allocation is known to have been there, or an address is no place in one.
  const AllocationInfo *allocationAt(std::uint64_t address);

private:
  bool nextLaunch();
  bool nextChunk();
  bool lookAtRecord(const Record &record) const;

  OpenTrace &trace_;
  const Model &model_;
  const RowFilter &filter_;
  const RecordsOf wanted_;
  LiveAllocations allocations_;
  std::size_t event_ = 0; ///< the next one
  const LaunchInfo *launch_ = nullptr;
  const trace::Module *module_ = nullptr;
  std::uint64_t firstSite_ = 0;
  std::size_t chunk_ = 0;                         ///< the next one
  const std::vector<ChunkZone> *zones_ = nullptr; ///< null: the filter is for launches alone
  std::optional<RecordStream> stream_;
  const Record *record_ = nullptr;
};

} // namespace cupr::analysis

#endif

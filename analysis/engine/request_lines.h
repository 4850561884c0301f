/// Which lines and sectors each request of a warp's access touches, as caches see them.
#ifndef CUPR_ANALYSIS_REQUEST_LINES_H
#define CUPR_ANALYSIS_REQUEST_LINES_H

#include "access_runs.h"
#include "sector_cache.h"

#include <span>
#include <vector>

namespace cupr::analysis {

/// Takes records apart, one after the other.
class RequestLines {
public:
  /// Calls `visitor(std::span<const LineSectors>)` for each request (requests.h) of the record's access, with its lines by ascending
  /// address.
  template <typename Visitor> void forEach(const Record &record, Visitor visitor) {
    const std::span<const AccessRun> runs = runsOf_.of(record);
    begin(record);
    while (takePart(runs))
      visitor(std::span<const LineSectors>(lines_));
  }

private:
  void begin(const Record &record);
  /// The next request's lines; false: there is none.
  bool takePart(std::span<const AccessRun> runs);
  void add(std::uint64_t begin, std::uint64_t end);

  AccessRuns runsOf_;
  std::vector<LineSectors> lines_;
  std::uint64_t bytes_ = 0, largest_ = 0,
                offset_ = 0; ///< of an access; its largest part; where the next one begins
  bool isWhole_ = false, isDone_ = false;
  std::uint64_t seen_ = 0;         ///< bytes of this request below are accounted for
  std::uint64_t coveredBytes_ = 0; ///< of the last line's last sector
};

} // namespace cupr::analysis

#endif

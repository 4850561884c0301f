/// Copies to the host of memory that nobody has written.
///
/// Filling of structures is copied with them, and nobody writes it. So what counts is bytes of which several in a row are not written, and
/// copies of which nothing is.
#ifndef CUPR_ANALYSIS_CHECK_UNWRITTEN_FETCHES_H
#define CUPR_ANALYSIS_CHECK_UNWRITTEN_FETCHES_H

#include "fault_list.h"

#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace cupr::analysis {

/// What a copy to the host reads that is not written.
struct UnwrittenFetch {
  std::uint64_t address = UINT64_MAX; ///< the first that counts
  std::uint64_t bytes = 0, inRows = 0;

  /// More than a structure's filling is.
  static constexpr std::uint64_t kLeastRow = 16;

  void add(std::uint64_t begin, std::uint64_t count) { add({begin, count, count >= kLeastRow ? count : 0}); }
  void add(const UnwrittenFetch &more) {
    if ((more.inRows != 0) == (inRows != 0))
      address = std::min(address, more.address);
    else if (more.inRows != 0)
      address = more.address;
    bytes += more.bytes;
    inRows += more.inRows;
  }
};

using UnwrittenFetches = std::map<Act, UnwrittenFetch>;

class MemoryShard;

/// What shards have found, which forget it. Which copies these are, `model` says. `mayLackLibraries`: kernels of libraries may have
/// written memory without the trace holding them, so that nothing is said of copies of which nothing is written.
void tellUnwrittenFetches(const std::vector<std::unique_ptr<MemoryShard>> &shards, const Model &model,
                          const Ordering &ordering, bool mayLackLibraries, FaultList &faults);

} // namespace cupr::analysis

#endif

/// Which records of launches are looked at: those of one block, and at places in one file.
#ifndef CUPR_ANALYSIS_RECORD_SELECTION_H
#define CUPR_ANALYSIS_RECORD_SELECTION_H

#include "records.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// `end` is the path, or its end from a folder's or the file's name on.
bool isEndOfPath(std::string_view path, std::string_view end);

struct RecordSelection {
  std::string block; ///< `N` (linear) or `x,y,z`; empty: all
  std::string file;  ///< a path of the trace or its end, from a folder's name on; empty: all
  bool isAll() const { return block.empty() && file.empty(); }
  std::string text() const;
};

/// The numbers of `x,y,z` or `N`; what is left out behind x is 0. Throws std::invalid_argument.
std::vector<std::uint64_t> blockNumbers(const std::string &text);
/// Whether a block of a launch with this grid is the one that these are the numbers of; without numbers any is.
bool isBlock(const std::vector<std::uint64_t> &numbers, const trace::Dim3 &grid, std::uint64_t cta);

/// A selection, ready to be asked for each record.
class RecordFilter {
public:
  /// Throws std::runtime_error where no site is in the file, with the files that there are.
  RecordFilter(const RecordSelection &selection, const Model &model);
  bool has(const LaunchInfo &launch, const Record &record) const;

private:
  const std::vector<std::uint64_t> block_;
  bool anyFile_ = true;
  std::vector<std::vector<bool>> sites_; ///< by module and site; where a file is selected
};

} // namespace cupr::analysis

#endif

/// What rows a reader of a table wants, as far as the table can tell without looking at them.
///
/// It may let too many rows pass, and never too few: whoever asked looks at them again.
#ifndef CUPR_ANALYSIS_ROW_FILTER_H
#define CUPR_ANALYSIS_ROW_FILTER_H

#include "analysis/model/chunk_zone.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace cupr::analysis {

struct RowFilter {
  Bounds key; ///< of the table's first column
  Bounds launch, site, cta, address;
  std::optional<std::string> kernel;
  std::uint64_t columns =
      UINT64_MAX; ///< bit n: column n is asked for; the last bit stands for all from there on
  bool wants(std::size_t column) const { return (columns >> std::min<std::size_t>(column, 63) & 1) != 0; }
};

} // namespace cupr::analysis

#endif

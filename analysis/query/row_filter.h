/// What rows a reader of a table wants, as far as the table can tell without looking at them.
///
/// It may let too many rows pass, and never too few: whoever asked looks at them again.
#ifndef CUPR_ANALYSIS_ROW_FILTER_H
#define CUPR_ANALYSIS_ROW_FILTER_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace cupr::analysis {

/// Numbers from `least` to `most`, as SQL has them: those from 2^63 on are negative.
struct Bounds {
  std::int64_t least = INT64_MIN, most = INT64_MAX;
  bool isAll() const { return least == INT64_MIN && most == INT64_MAX; }
  bool isOne() const { return least == most; }
  bool has(std::uint64_t number) const {
    const auto value = static_cast<std::int64_t>(number);
    return least <= value && value <= most;
  }
  bool meets(const Bounds &other) const { return std::max(least, other.least) <= std::min(most, other.most); }
};

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

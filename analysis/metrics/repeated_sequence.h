/// Where a list of numbers repeats itself: turns of a loop that does the same each time.
#ifndef CUPR_ANALYSIS_REPEATED_SEQUENCE_H
#define CUPR_ANALYSIS_REPEATED_SEQUENCE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cupr::analysis {

struct RepeatedSequence {
  std::size_t first = 0;  ///< in the list
  std::size_t length = 0; ///< of one turn; the shortest there is
  std::size_t turns = 0;
};

/// Those with `leastTurns` whole turns or more of up to `longest` numbers, none of which overlap; the first ones where they would. Steps: in
/// proportion to numbers times `longest`.
std::vector<RepeatedSequence> repeatedSequences(std::span<const std::uint32_t> numbers, std::size_t longest,
                                                std::size_t leastTurns);

} // namespace cupr::analysis

#endif

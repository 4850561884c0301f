/// Two traces side by side: what a change of the program has done, by kernel and by line.
#ifndef CUPR_ANALYSIS_DIFFERENCE_H
#define CUPR_ANALYSIS_DIFFERENCE_H

#include "results.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

/// One figure that is not the same in both.
struct Difference {
  std::string what;   ///< "sectors", "communicated bytes" ...
  std::string kernel; ///< empty: of the whole program, or of a line
  std::string file;   ///< empty: no line
  std::uint32_t line = 0;
  std::uint64_t before = 0, after = 0;

  std::uint64_t size() const { return before > after ? before - after : after - before; }
};

/// Figures of the program, of kernels by name, and of lines by file and number: those of the program first,
/// then kernels, then lines, each by descending difference in proportion to the larger value.
std::vector<Difference> differences(const Model &before, const Results &resultsBefore, const Model &after,
                                    const Results &resultsAfter);

} // namespace cupr::analysis

#endif

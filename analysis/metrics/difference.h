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
  std::string what;                       ///< "sectors", "communicated bytes" ...
  std::string kernel;                     ///< empty: of the whole program, or of a line
  std::string file;                       ///< empty: no line
  std::uint32_t line = 0, lineBefore = 0; ///< 0: it isn't there
  std::uint64_t before = 0, after = 0;
};

/// Figures of the program, of kernels by name, and of lines. A line is the same where its file's name, its functions (without
/// namespaces, template arguments and parameters) and its text are, wherever it has moved; without its text, where its number is. Equal
/// lines of a function are summed up. Those of the program come first, then kernels by how far their bytes differ, then lines by how
/// far their sectors do. Of a part that is shown: its launches, kernels and lines; what is not known of a part is left out.
std::vector<Difference> differences(const Model &before, const Results &resultsBefore, const Model &after,
                                    const Results &resultsAfter);

} // namespace cupr::analysis

#endif

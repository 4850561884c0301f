/// Sums by a number that is not known before.
#ifndef CUPR_ANALYSIS_SUM_AT_H
#define CUPR_ANALYSIS_SUM_AT_H

#include <cstddef>
#include <vector>

namespace cupr::analysis {

/// The sum, made if the vector is too short.
template <typename Sum> Sum &sumAt(std::vector<Sum> &sums, std::size_t index) {
  if (sums.size() <= index)
    sums.resize(index + 1);
  return sums[index];
}

} // namespace cupr::analysis

#endif

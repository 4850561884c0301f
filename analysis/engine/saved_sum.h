/// Sums by key (SortedSum, TransferSum) on their way to a file, and from it into others.
#ifndef CUPR_ANALYSIS_SAVED_SUM_H
#define CUPR_ANALYSIS_SAVED_SUM_H

#include "analysis/model/unnamed_file.h"

#include <cstdio>
#include <vector>

namespace cupr::analysis {

/// The number of entries is not known before: blocks, and an empty one at the end.
template <typename Sum> void saveSum(std::FILE *file, Sum &sum) {
  std::vector<typename Sum::Summed> block;
  sum.forEach([&](const auto &entry) {
    block.push_back(entry);
    if (block.size() == 4096) {
      saveVector(file, block);
      block.clear();
    }
  });
  if (!block.empty())
    saveVector(file, block);
  saveVector(file, std::vector<typename Sum::Summed>());
}
template <typename Sum> void addSum(std::FILE *file, Sum &sum) {
  std::vector<typename Sum::Summed> block;
  do {
    loadVector(file, block);
    for (const auto &entry : block)
      sum.add(entry);
  } while (!block.empty());
}

} // namespace cupr::analysis

#endif

/// The field of weights, and the calls between the files of this program.
#ifndef PATHFINDER_WEIGHTS_H
#define PATHFINDER_WEIGHTS_H

#include <vector>

/// Weight of each cell, row by row.
struct Weights {
  std::vector<int> cells;
  int columns;
  int rows;
};

constexpr int kMostHeight = 100; ///< rows that one launch can advance at most

/// The least sum of weights on a way from the first row to each cell of the last one. A launch advances
/// `height` rows. Empty when a CUDA call failed, after saying which.
std::vector<int> leastCostsOnDevice(const Weights &weights, int height);

#endif

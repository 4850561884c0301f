/// pathfinder: what does the cheapest way through a field of weights cost, from
/// top to bottom, straight down or diagonally?
///
///     pathfinder [columns] [rows] [height]      default: 100000 100 20
///
/// `height` is the number of rows that one launch goes. Prints the least cost
/// and a hash of the costs of all columns; exit 1 when the device's answer is
/// not the host's.
#include "weights.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

/// Weights from 0 to 9; the same in every run.
Weights makeWeights(int columns, int rows) {
  Weights weights{std::vector<int>(static_cast<size_t>(columns) * rows), columns, rows};
  std::uint32_t state = 31337;
  for (int &weight : weights.cells) {
    state = state * 1664525u + 1013904223u;
    weight = static_cast<int>((state >> 16) % 10);
  }
  return weights;
}

std::vector<int> leastCostsOnHost(const Weights &weights) {
  const int last = weights.columns - 1;
  std::vector<int> costs(weights.cells.begin(), weights.cells.begin() + weights.columns), next(costs.size());
  for (int row = 1; row < weights.rows; ++row) {
    const int *cells = weights.cells.data() + static_cast<size_t>(row) * weights.columns;
    for (int column = 0; column <= last; ++column)
      next[column] = cells[column] + std::min({costs[std::max(column - 1, 0)], costs[column],
                                               costs[std::min(column + 1, last)]});
    costs.swap(next);
  }
  return costs;
}

/// FNV-1a over the costs.
std::uint64_t hashOf(const std::vector<int> &costs) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int cost : costs)
    hash = (hash ^ static_cast<std::uint32_t>(cost)) * 0x100000001b3u;
  return hash;
}

} // namespace

int main(int argc, char **argv) {
  const int columns = argc > 1 ? std::atoi(argv[1]) : 100000;
  const int rows = argc > 2 ? std::atoi(argv[2]) : 100;
  const int height = argc > 3 ? std::atoi(argv[3]) : 20;
  if (columns < 1 || columns > 1000000 || rows < 1 || rows > 1000 || height < 1 || height > kMostHeight) {
    std::fprintf(stderr, "usage: pathfinder [columns, 1 to 1000000] [rows, 1 to 1000] [height, 1 to %d]\n",
                 kMostHeight);
    return 2;
  }
  const Weights weights = makeWeights(columns, rows);
  const std::vector<int> device = leastCostsOnDevice(weights, height);
  if (device.empty())
    return 1;
  const bool equal = device == leastCostsOnHost(weights);
  std::printf("pathfinder: %d columns, %d rows, %d rows per launch, least cost %d, hash %016llx, %s\n",
              columns, rows, height, *std::min_element(device.begin(), device.end()),
              static_cast<unsigned long long>(hashOf(device)),
              equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}

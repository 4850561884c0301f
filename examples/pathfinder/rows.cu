/// The kernel, and the loop over groups of rows.
///
/// A cell of the next row needs three of this row, and only the end of a kernel makes other blocks' cells
/// visible. So a block starts from kBlock columns and goes several rows on; with each row it loses a column
/// on either side, and what is left is its result. The fewer rows a launch has to go, the more columns a
/// block keeps.
#include "weights.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <utility>

static constexpr int kBlock = 256;

static_assert(kBlock - 2 * kMostHeight > 0, "a block keeps some columns");

/// Columns that a block keeps after so many rows.
__host__ __device__ static constexpr int keptColumns(int rows) { return kBlock - 2 * rows; }

/// `weights` begins with the first of `rows` rows to go; `now` and `next` are the costs before and after.
__global__ void advanceRows(int *next, const int *now, const int *weights, int columns, int rows) {
  __shared__ int costs[2][kBlock];
  const int at = threadIdx.x;
  const int column = blockIdx.x * keptColumns(rows) + at - rows;
  const bool inside = column >= 0 && column < columns;
  // Ways don't lead outside.
  costs[0][at] = inside ? now[column] : INT_MAX;
  costs[1][at] = INT_MAX;
  __syncthreads();
  for (int row = 1; row <= rows; ++row) {
    if (inside && at >= row && at < kBlock - row) {
      const int *before = costs[(row - 1) % 2];
      costs[row % 2][at] =
          weights[(row - 1) * columns + column] + min(before[at], min(before[at - 1], before[at + 1]));
    }
    __syncthreads();
  }
  if (inside && at >= rows && at < kBlock - rows)
    next[column] = costs[rows % 2][at];
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "pathfinder: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

std::vector<int> leastCostsOnDevice(const Weights &weights, int height) {
  const size_t rowBytes = sizeof(int) * weights.columns;
  int *cells = nullptr, *now = nullptr, *next = nullptr;
  bool good =
      succeeded(cudaMalloc(&cells, rowBytes * weights.rows), "cudaMalloc of the weights") &&
      succeeded(cudaMalloc(&now, rowBytes), "cudaMalloc of the costs") &&
      succeeded(cudaMalloc(&next, rowBytes), "cudaMalloc of the next costs") &&
      succeeded(cudaMemcpy(cells, weights.cells.data(), rowBytes * weights.rows, cudaMemcpyHostToDevice),
                "copying the weights") &&
      succeeded(cudaMemcpy(now, weights.cells.data(), rowBytes, cudaMemcpyHostToDevice),
                "copying the first row");

  for (int first = 1; good && first < weights.rows; first += height) {
    const int rows = std::min(height, weights.rows - first);
    const int grid = (weights.columns + keptColumns(rows) - 1) / keptColumns(rows);
    advanceRows<<<grid, kBlock>>>(next, now, cells + static_cast<size_t>(first) * weights.columns,
                                  weights.columns, rows);
    good = succeeded(cudaGetLastError(), "launching advanceRows");
    std::swap(now, next);
  }

  std::vector<int> result(weights.columns);
  if (!good ||
      !succeeded(cudaMemcpy(result.data(), now, rowBytes, cudaMemcpyDeviceToHost), "copying the result"))
    result.clear();
  cudaFree(next);
  cudaFree(now);
  cudaFree(cells);
  return result;
}

/// Sparse matrix times vector, a warp for each row.
#include "sparse_matrix.h"

namespace {

constexpr int kThreads = 256;

__global__ void spmvWarpKernel(const int *begin, const int *columns, const float *values, const float *x,
                               float *y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = begin[row] + lane; i < begin[row + 1]; i += 32)
    sum += values[i] * x[columns[i]];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0)
    y[row] = sum;
}

class SpmvWarp : public SparseProduct {
public:
  using SparseProduct::SparseProduct;
  void run() override {
    const int perBlock = kThreads / 32;
    spmvWarpKernel<<<(rows_ + perBlock - 1) / perBlock, kThreads>>>(
        begin_.data(), columns_.data(), values_.data(), x_.data(), y_.data(), rows_);
  }
};

} // namespace

std::unique_ptr<Workload> spmv_warp(int size) { return std::make_unique<SpmvWarp>(size); }

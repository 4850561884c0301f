/// Sparse matrix times vector, a thread for each row.
#include "sparse_matrix.h"

namespace {

constexpr int kThreads = 128;

__global__ void spmvThreadKernel(const int *begin, const int *columns, const float *values, const float *x,
                                 float *y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = begin[row]; i < begin[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

class SpmvThread : public SparseProduct {
public:
  using SparseProduct::SparseProduct;
  void run() override {
    spmvThreadKernel<<<(rows_ + kThreads - 1) / kThreads, kThreads>>>(
        begin_.data(), columns_.data(), values_.data(), x_.data(), y_.data(), rows_);
  }
};

} // namespace

std::unique_ptr<Workload> spmv_thread(int size) { return std::make_unique<SpmvThread>(size); }

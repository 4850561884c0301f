/// Transpose of a matrix, an element for each thread: reads along rows, writes along columns.
#include "transposition.h"

namespace {

__global__ void transposeNaiveKernel(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    out[x * n + y] = in[y * n + x];
}

class TransposeNaive : public Transposition {
public:
  using Transposition::Transposition;
  void run() override {
    const dim3 block(32, 8), grid((n_ + 31) / 32, (n_ + 7) / 8);
    transposeNaiveKernel<<<grid, block>>>(in_.data(), out_.data(), n_);
  }
};

} // namespace

std::unique_ptr<Workload> transpose_naive(int size) { return std::make_unique<TransposeNaive>(size); }

/// Transpose of a matrix through tiles in shared memory, with a column more than needed against bank conflicts.
#include "transposition.h"

namespace {

constexpr int kTile = 32, kRows = 8;

__global__ void transposeTiledKernel(const float *in, float *out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += kRows)
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += kRows)
    out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

class TransposeTiled : public Transposition {
public:
  using Transposition::Transposition;
  void run() override {
    transposeTiledKernel<<<dim3(n_ / kTile, n_ / kTile), dim3(kTile, kRows)>>>(in_.data(), out_.data(), n_);
  }
};

} // namespace

std::unique_ptr<Workload> transpose_tiled(int size) { return std::make_unique<TransposeTiled>(size); }

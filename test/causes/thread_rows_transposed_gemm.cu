/// C = A B^T of square matrices, as in the scores of attention: each element is the product of two rows.
///
/// The kernel is the naive one for A B with the index of B turned around. Its threads walk along rows of B,
/// and those of a warp walk along different ones, a row apart.
/// Fix: bring tiles of both matrices to shared memory along their rows, that of B to be read by columns.
/// cause: thread-rows
///
/// SIZE: rows of the matrices, a multiple of 32; for a GPU 1024.
#include "pair.h"

namespace {

constexpr int kTile = 32,
              kRows = 8; ///< fixed: a block has kRows rows of threads, and makes a tile of kTile rows

__global__ void gemmSlow(const float *a, const float *b, float *c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    const float left = a[row * n + k];
    sum += left * b[column * n + k]; // <- waste: load
  }
  c[row * n + column] = sum;
}

__global__ void gemmFixed(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[kTile][kTile + 1], tileB[kTile][kTile + 1];
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
  float sums[kTile / kRows] = {};
  for (int start = 0; start < n; start += kTile) {
    for (int row = threadIdx.y; row < kTile; row += kRows) {
      tileA[row][threadIdx.x] = a[(top + row) * n + start + threadIdx.x];
      tileB[row][threadIdx.x] = b[(left + row) * n + start + threadIdx.x];
    }
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      for (int i = 0; i < kTile / kRows; ++i)
        sums[i] += tileA[threadIdx.y + i * kRows][k] * tileB[threadIdx.x][k];
    __syncthreads();
  }
  for (int i = 0; i < kTile / kRows; ++i)
    c[(top + threadIdx.y + i * kRows) * n + left + threadIdx.x] = sums[i];
}

class Gemm : public Pair {
public:
  explicit Gemm(int n)
      : n_(n), hostA_(wholeNumbers<float>(std::size_t(n) * n, 1)),
        hostB_(wholeNumbers<float>(std::size_t(n) * n, 2)), a_(hostA_), b_(hostB_), c_(hostA_.size()) {}

  void slow() override {
    gemmSlow<<<dim3(n_ / 32, n_ / 8), dim3(32, 8)>>>(a_.data(), b_.data(), c_.data(), n_);
  }

  void fixed() override {
    gemmFixed<<<dim3(n_ / kTile, n_ / kTile), dim3(kTile, kRows)>>>(a_.data(), b_.data(), c_.data(), n_);
  }

  std::vector<double> results(Version) const override { return c_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int row = 0; row < n_; ++row)
      for (int column = 0; column < n_; ++column) {
        float sum = 0;
        for (int k = 0; k < n_; ++k)
          sum += hostA_[std::size_t(row) * n_ + k] * hostB_[std::size_t(column) * n_ + k];
        wanted.push_back(sum);
      }
    return wanted;
  }

private:
  int n_;
  std::vector<float> hostA_, hostB_;
  DeviceArray<float> a_, b_, c_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Gemm>(argc, argv, 64, 32); }

/// C = A B^T of square matrices, as in the scores of attention, by tiles of 16 x 16 in shared memory.
///
/// Each thread takes a row of A's tile and a row of B's. Rows of B's tile, those of neighbouring threads, are 16 words
/// apart, and every second one begins in the same bank. (Rows of 17 words would do for that, but then the two rows that
/// a warp stores meet.)
/// Fix: keep element k of row r in the place k ^ r.
/// cause: bank-conflict
///
/// SIZE: edge of the matrices, a multiple of 16; for a GPU 2048.
#include "pair.h"

namespace {

constexpr int kTile = 16;

__global__ void gemmSlow(const float *a, const float *b, float *c, int edge) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  float sum = 0;
  for (int from = 0; from < edge; from += kTile) {
    as[y][x] = a[(row + y) * edge + from + x];
    bs[y][x] = b[(column + y) * edge + from + x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < kTile; ++k)
      sum += as[y][k] * bs[x][k]; // <- waste: load
    __syncthreads();
  }
  c[(row + y) * edge + column + x] = sum;
}

__global__ void gemmFixed(const float *a, const float *b, float *c, int edge) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  float sum = 0;
  for (int from = 0; from < edge; from += kTile) {
    as[y][x] = a[(row + y) * edge + from + x];
    bs[y][x ^ y] = b[(column + y) * edge + from + x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < kTile; ++k)
      sum += as[y][k] * bs[x][k ^ x];
    __syncthreads();
  }
  c[(row + y) * edge + column + x] = sum;
}

class TransposedGemm : public Pair {
public:
  explicit TransposedGemm(int edge)
      : edge_(edge), hostA_(wholeNumbers<float>(std::size_t(edge) * edge, 1)),
        hostB_(wholeNumbers<float>(hostA_.size(), 2)), a_(hostA_), b_(hostB_), c_(hostA_.size()) {}

  void slow() override { run(gemmSlow); }
  void fixed() override { run(gemmFixed); }
  std::vector<double> results(Version) const override { return c_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int y = 0; y < edge_; ++y)
      for (int x = 0; x < edge_; ++x) {
        double sum = 0;
        for (int k = 0; k < edge_; ++k)
          sum += hostA_[std::size_t(y) * edge_ + k] * hostB_[std::size_t(x) * edge_ + k];
        wanted.push_back(sum);
      }
    return wanted;
  }

private:
  void run(void (*kernel)(const float *, const float *, float *, int)) {
    kernel<<<dim3(edge_ / kTile, edge_ / kTile), dim3(kTile, kTile)>>>(a_.data(), b_.data(), c_.data(),
                                                                       edge_);
  }

  int edge_;
  std::vector<float> hostA_, hostB_;
  DeviceArray<float> a_, b_, c_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<TransposedGemm>(argc, argv, 128, 16); }

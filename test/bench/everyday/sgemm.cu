/// C = A * B in single precision, register-tiled: a block of 64 threads makes 64 x 64 elements, each thread 8 x 8.
#include "workload.h"

namespace {

constexpr int kTile = 64, kDepth = 8, kPerThread = 8;
constexpr int kThreads = kTile * kTile / (kPerThread * kPerThread);

__global__ void __launch_bounds__(kThreads) sgemmKernel(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[kDepth][kTile], tileB[kDepth][kTile];
  const int row = threadIdx.x / (kTile / kPerThread) * kPerThread;
  const int column = threadIdx.x % (kTile / kPerThread) * kPerThread;
  a += blockIdx.y * kTile * n;
  b += blockIdx.x * kTile;
  c += (blockIdx.y * kTile + row) * n + blockIdx.x * kTile + column;

  float sums[kPerThread][kPerThread] = {};
  for (int start = 0; start < n; start += kDepth) {
#pragma unroll
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      tileA[i % kDepth][i / kDepth] = a[i / kDepth * n + start + i % kDepth];
      tileB[i / kTile][i % kTile] = b[(start + i / kTile) * n + i % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float left[kPerThread], right[kPerThread];
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        left[i] = tileA[k][row + i];
        right[i] = tileB[k][column + i];
      }
#pragma unroll
      for (int i = 0; i < kPerThread; ++i)
#pragma unroll
        for (int j = 0; j < kPerThread; ++j)
          sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
#pragma unroll
    for (int j = 0; j < kPerThread; ++j)
      c[i * n + j] = sums[i][j];
}

class Sgemm : public Workload {
public:
  explicit Sgemm(int n)
      : n_(n), hostA_(randomFloats(std::size_t(n) * n, 1)), hostB_(randomFloats(std::size_t(n) * n, 2)),
        a_(hostA_), b_(hostB_), c_(std::size_t(n) * n) {}

  void run() override {
    sgemmKernel<<<dim3(n_ / kTile, n_ / kTile), kThreads>>>(a_.data(), b_.data(), c_.data(), n_);
  }

  bool right() override {
    const std::vector<float> c = c_.values();
    for (const std::size_t at : sample(c.size(), 4096)) {
      double sum = 0;
      for (int k = 0; k < n_; ++k)
        sum += double(hostA_[at / n_ * n_ + k]) * hostB_[std::size_t(k) * n_ + at % n_];
      if (!isClose(c[at], sum, 1e-4))
        return false;
    }
    return true;
  }

private:
  int n_;
  std::vector<float> hostA_, hostB_;
  DeviceArray<float> a_, b_, c_;
};

} // namespace

std::unique_ptr<Workload> sgemm(int size) { return std::make_unique<Sgemm>(size); }

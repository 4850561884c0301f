/// y = A x for a matrix that lies row by row.
///
/// A thread for each row is the loop of the textbook with its outer part taken away. Each thread walks along
/// its own row, so that threads of a warp are a row apart at all times.
/// Fix: a warp for each row, whose threads read neighbours, and add up what they have by shuffles.
/// cause: thread-rows
///
/// SIZE: rows of the square matrix, a multiple of 64; for a GPU 8192.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

__global__ void matrixVectorSlow(const float *a, const float *x, float *y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int column = 0; column < n; ++column)
    sum += a[row * n + column] * x[column]; // <- waste: load
  y[row] = sum;
}

__global__ void matrixVectorFixed(const float *a, const float *x, float *y, int n) {
  __shared__ float sums[kWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.x * kWarps + warp;
  float sum = 0;
  for (int column = lane; column < n; column += 32)
    sum += a[row * n + column] * x[column];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0)
    sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x < kWarps)
    y[blockIdx.x * kWarps + threadIdx.x] = sums[threadIdx.x];
}

class MatrixVector : public Pair {
public:
  explicit MatrixVector(int n)
      : n_(n), hostA_(wholeNumbers<float>(std::size_t(n) * n, 1)), hostX_(wholeNumbers<float>(n, 2)),
        a_(hostA_), x_(hostX_), y_(n) {}

  void slow() override {
    matrixVectorSlow<<<n_ / threads(), threads()>>>(a_.data(), x_.data(), y_.data(), n_);
  }
  void fixed() override { matrixVectorFixed<<<n_ / kWarps, kThreads>>>(a_.data(), x_.data(), y_.data(), n_); }

  std::vector<double> results(Version) const override { return y_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(n_);
    for (int row = 0; row < n_; ++row)
      for (int column = 0; column < n_; ++column)
        wanted[row] += hostA_[std::size_t(row) * n_ + column] * hostX_[column];
    return wanted;
  }

private:
  /// Of a block; fewer, where there is less to do.
  int threads() const { return std::min(n_, kThreads); }
  int n_;
  std::vector<float> hostA_, hostX_;
  DeviceArray<float> a_, x_, y_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<MatrixVector>(argc, argv, 256, 64); }

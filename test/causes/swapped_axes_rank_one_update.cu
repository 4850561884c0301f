/// A += x y^T (GER of the BLAS) on a square matrix, row by row in memory.
///
/// The first index of the formula is the row, and the first of the thread is threadIdx.x; so each gets the
/// other. Then threads of a warp are a row apart, while those that differ in threadIdx.y are neighbours.
/// Fix: take the column from threadIdx.x, and make blocks as wide as a warp.
/// cause: swapped-axes
///
/// SIZE: rows of the matrix, a multiple of 32; for a GPU 8192.
#include "pair.h"

namespace {

__global__ void rankOneUpdateSlow(float *a, const float *x, const float *y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  a[row * n + column] += x[row] * y[column]; // <- waste: load
}

__global__ void rankOneUpdateFixed(float *a, const float *x, const float *y, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  a[row * n + column] += x[row] * y[column];
}

class RankOneUpdate : public Pair {
public:
  explicit RankOneUpdate(int n)
      : n_(n), hostA_(wholeNumbers<float>(std::size_t(n) * n, 1)), hostX_(wholeNumbers<float>(n, 2)),
        hostY_(wholeNumbers<float>(n, 3)), a_(hostA_), x_(hostX_), y_(hostY_) {}

  void prepare() override { a_.assign(hostA_); }

  void slow() override {
    rankOneUpdateSlow<<<dim3(n_ / 16, n_ / 16), dim3(16, 16)>>>(a_.data(), x_.data(), y_.data(), n_);
  }

  void fixed() override {
    rankOneUpdateFixed<<<dim3(n_ / 32, n_ / 8), dim3(32, 8)>>>(a_.data(), x_.data(), y_.data(), n_);
  }

  std::vector<double> results(Version) const override { return a_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(hostA_.begin(), hostA_.end());
    for (int row = 0; row < n_; ++row)
      for (int column = 0; column < n_; ++column)
        wanted[std::size_t(row) * n_ + column] += hostX_[row] * hostY_[column];
    return wanted;
  }

private:
  int n_;
  std::vector<float> hostA_, hostX_, hostY_;
  DeviceArray<float> a_, x_, y_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<RankOneUpdate>(argc, argv, 256, 32); }

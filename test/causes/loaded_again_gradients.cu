/// The slopes of a terrain along x and along y, by differences of neighbouring heights on a torus.
///
/// Each has a kernel of its own, as textbooks have them, and each brings all heights from memory.
/// Fix: one kernel that stores both.
/// cause: loaded-again
///
/// SIZE: rows of the terrain, a multiple of 8; for a GPU 8000.
#include "pair.h"

namespace {

constexpr int kWidth = 4096, kThreads = 256;

__global__ void slopesX(const float *heights, float *x, int rows) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  x[row * kWidth + column] = heights[row * kWidth + (column + 1) % kWidth] - heights[row * kWidth + column];
}

__global__ void slopesY(const float *heights, float *y, int rows) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  y[row * kWidth + column] =
      heights[(row + 1) % rows * kWidth + column] - heights[row * kWidth + column]; // <- waste: load
}

__global__ void slopes(const float *heights, float *x, float *y, int rows) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  const float here = heights[row * kWidth + column];
  x[row * kWidth + column] = heights[row * kWidth + (column + 1) % kWidth] - here;
  y[row * kWidth + column] = heights[(row + 1) % rows * kWidth + column] - here;
}

class Gradients : public Pair {
public:
  explicit Gradients(int rows)
      : rows_(rows), host_(wholeNumbers<float>(std::size_t(rows) * kWidth, 1)), heights_(host_),
        x_(host_.size()), y_(host_.size()) {}

  void slow() override {
    slopesX<<<grid(), kThreads>>>(heights_.data(), x_.data(), rows_);
    slopesY<<<grid(), kThreads>>>(heights_.data(), y_.data(), rows_);
  }
  void fixed() override { slopes<<<grid(), kThreads>>>(heights_.data(), x_.data(), y_.data(), rows_); }

  std::vector<double> results(Version) const override {
    std::vector<double> both = x_.doubles();
    const std::vector<double> y = y_.doubles();
    both.insert(both.end(), y.begin(), y.end());
    return both;
  }

  std::vector<double> wanted() const override {
    std::vector<double> x, y;
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < kWidth; ++column) {
        x.push_back(at(row, (column + 1) % kWidth) - at(row, column));
        y.push_back(at((row + 1) % rows_, column) - at(row, column));
      }
    x.insert(x.end(), y.begin(), y.end());
    return x;
  }

private:
  dim3 grid() const { return dim3(kWidth / kThreads, unsigned(rows_)); }
  float at(int row, int column) const { return host_[std::size_t(row) * kWidth + column]; }

  int rows_;
  std::vector<float> host_;
  DeviceArray<float> heights_, x_, y_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Gradients>(argc, argv, 8, 8); }

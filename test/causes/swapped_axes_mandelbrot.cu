/// The Mandelbrot set: for each point of an image, after how many steps its sequence escapes.
///
/// Mathematics has x first, so the image is indexed [x][y], and x is taken from threadIdx.x as everywhere.
/// Then threads of a warp are a column of the image apart, while those that differ in threadIdx.y are
/// neighbours.
/// Fix: take y from threadIdx.x, and x from threadIdx.y.
/// cause: swapped-axes
///
/// SIZE: edge of the image, a multiple of 32; for a GPU 8192.
#include "pair.h"

namespace {

constexpr int kSteps = 24, kBits = 12; ///< numbers are counted in 2^-kBits: host and device round alike

__host__ __device__ int stepsToEscape(int real, int imaginary) {
  int x = 0, y = 0, steps = 0;
  for (; steps < kSteps && x * x + y * y < 4 << 2 * kBits; ++steps) {
    const int next = ((x * x - y * y) >> kBits) + real;
    y = (2 * x * y >> kBits) + imaginary;
    x = next;
  }
  return steps;
}

__global__ void mandelbrotSlow(int *steps, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int real = (x << (kBits + 2)) / n - (2 << kBits), imaginary = (y << (kBits + 2)) / n - (2 << kBits);
  steps[x * n + y] = stepsToEscape(real, imaginary); // <- waste: store
}

__global__ void mandelbrotFixed(int *steps, int n) {
  const int x = blockIdx.y * blockDim.y + threadIdx.y, y = blockIdx.x * blockDim.x + threadIdx.x;
  const int real = (x << (kBits + 2)) / n - (2 << kBits), imaginary = (y << (kBits + 2)) / n - (2 << kBits);
  steps[x * n + y] = stepsToEscape(real, imaginary);
}

class Mandelbrot : public Pair {
public:
  explicit Mandelbrot(int n) : n_(n), steps_(std::size_t(n) * n) {}

  void slow() override { mandelbrotSlow<<<dim3(n_ / 32, n_ / 8), dim3(32, 8)>>>(steps_.data(), n_); }
  void fixed() override { mandelbrotFixed<<<dim3(n_ / 32, n_ / 8), dim3(32, 8)>>>(steps_.data(), n_); }

  std::vector<double> results(Version) const override { return steps_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int x = 0; x < n_; ++x)
      for (int y = 0; y < n_; ++y)
        wanted.push_back(
            stepsToEscape((x << (kBits + 2)) / n_ - (2 << kBits), (y << (kBits + 2)) / n_ - (2 << kBits)));
    return wanted;
  }

private:
  int n_;
  DeviceArray<int> steps_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Mandelbrot>(argc, argv, 256, 32); }

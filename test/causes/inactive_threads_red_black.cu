/// A sweep of Gauss and Seidel's method for Laplace's equation on a torus: first all red cells of a
/// chessboard become the mean of their black neighbours, then all black ones that of their red neighbours.
///
/// Each cell has a thread, and those of the other colour do nothing. What the others access is every second
/// element, and so half of each sector.
/// Fix: an array for each colour, and a thread for each cell of the colour that is due. Of the two neighbours
/// in a row, one has the place of the cell itself; the other comes from the next thread.
/// cause: inactive-threads
///
/// SIZE: edge of the grid, a multiple of 64; for a GPU 8192.
#include "pair.h"

namespace {

__global__ void relaxSlow(float *u, int n, int colour) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int left = (x + n - 1) % n, right = (x + 1) % n;
  const int row = y * n, up = (y + n - 1) % n * n, down = (y + 1) % n * n;
  if ((x + y) % 2 == colour)
    u[row + x] = (u[row + left] + u[row + right] + u[up + x] + u[down + x]) / 4; // <- waste: load
}

/// A row has n / 2 cells of each colour, and x counts these.
__global__ void relaxFixed(float *mine, const float *other, int n, int colour) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int up = (y + n - 1) % n, down = (y + 1) % n, lane = threadIdx.x;
  const float beside = other[y * (n / 2) + x];
  const int step = (y + colour) % 2 ? 1 : -1; // the row's first cell of this colour is at 1, or at 0
  float next = __shfl_sync(0xffffffff, beside, (lane + step) & 31);
  if (lane == (step > 0 ? 31 : 0))
    next = other[y * (n / 2) + (x + step + n / 2) % (n / 2)];
  mine[y * (n / 2) + x] = (beside + next + other[up * (n / 2) + x] + other[down * (n / 2) + x]) / 4;
}

class RedBlack : public Pair {
public:
  explicit RedBlack(int n)
      : n_(n), host_(wholeNumbers<float>(std::size_t(n) * n, 1)), u_(host_.size()), red_(host_.size() / 2),
        black_(host_.size() / 2) {}

  void prepare() override {
    u_.assign(host_);
    std::vector<float> cells[2];
    for (std::size_t i = 0; i < host_.size(); ++i)
      cells[(i % n_ + i / n_) % 2].push_back(host_[i]);
    red_.assign(cells[0]);
    black_.assign(cells[1]);
  }

  void slow() override {
    for (int colour = 0; colour < 2; ++colour)
      relaxSlow<<<dim3(n_ / 32, n_ / 8), dim3(32, 8)>>>(u_.data(), n_, colour);
  }

  void fixed() override {
    relaxFixed<<<dim3(n_ / 64, n_ / 8), dim3(32, 8)>>>(red_.data(), black_.data(), n_, 0);
    relaxFixed<<<dim3(n_ / 64, n_ / 8), dim3(32, 8)>>>(black_.data(), red_.data(), n_, 1);
  }

  std::vector<double> results(Version version) const override {
    if (version == Version::Slow)
      return u_.doubles();
    const std::vector<float> cells[2] = {red_.values(), black_.values()};
    std::vector<double> u;
    for (std::size_t i = 0; i < host_.size(); ++i)
      u.push_back(cells[(i % n_ + i / n_) % 2][i / 2]);
    return u;
  }

  std::vector<double> wanted() const override {
    std::vector<double> u(host_.begin(), host_.end());
    const auto at = [&](int x, int y) -> double & {
      return u[std::size_t(y + n_) % n_ * n_ + (x + n_) % n_];
    };
    for (int colour = 0; colour < 2; ++colour)
      for (int y = 0; y < n_; ++y)
        for (int x = (y + colour) % 2; x < n_; x += 2)
          at(x, y) = (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 4;
    return u;
  }

private:
  int n_;
  std::vector<float> host_;
  DeviceArray<float> u_, red_, black_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<RedBlack>(argc, argv, 256, 64); }

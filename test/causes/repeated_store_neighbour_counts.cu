/// How many other points are near each point, by which DBSCAN tells what is the core of a cluster.
///
/// A thread counts for its point, in the result itself. Coordinates and counts have one type, so the compiler
/// can't know that they don't overlap: the count goes to memory, and comes back, for each pair of points.
/// Fix: count in a local variable, and store it once.
/// cause: repeated-store
///
/// SIZE: points, a multiple of 256; for a GPU 16384.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kRadius = 100, kEdge = 1024;

__global__ void countSlow(const int *x, const int *y, int *counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, myX = x[i], myY = y[i];
  counts[i] = 0;
  for (int j = 0; j < n; ++j) {
    const int awayX = x[j] - myX, awayY = y[j] - myY;
    counts[i] += awayX * awayX + awayY * awayY < kRadius * kRadius; // <- waste: store
  }
}

__global__ void countFixed(const int *x, const int *y, int *counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, myX = x[i], myY = y[i];
  int count = 0;
  for (int j = 0; j < n; ++j) {
    const int awayX = x[j] - myX, awayY = y[j] - myY;
    count += awayX * awayX + awayY * awayY < kRadius * kRadius;
  }
  counts[i] = count;
}

class NeighbourCounts : public Pair {
public:
  explicit NeighbourCounts(int n)
      : n_(n), hostX_(wholeNumbers<int>(n, 1, kEdge)), hostY_(wholeNumbers<int>(n, 2, kEdge)), x_(hostX_),
        y_(hostY_), counts_(n) {}

  void slow() override { countSlow<<<n_ / kThreads, kThreads>>>(x_.data(), y_.data(), counts_.data(), n_); }
  void fixed() override { countFixed<<<n_ / kThreads, kThreads>>>(x_.data(), y_.data(), counts_.data(), n_); }

  std::vector<double> results(Version) const override { return counts_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(n_);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        const int awayX = hostX_[j] - hostX_[i], awayY = hostY_[j] - hostY_[i];
        wanted[i] += awayX * awayX + awayY * awayY < kRadius * kRadius;
      }
    return wanted;
  }

private:
  int n_;
  std::vector<int> hostX_, hostY_;
  DeviceArray<int> x_, y_, counts_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<NeighbourCounts>(argc, argv, 512, 256); }

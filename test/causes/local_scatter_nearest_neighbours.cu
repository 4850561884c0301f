/// The distances from each point to its eight nearest of 128 candidates, by insertion into a sorted list.
///
/// Each thread has its list in an array of its own, and how far it moves elements depends on data: the array is
/// in local memory, and threads of a warp are at different places of it.
/// Fix: the lists are in shared memory, as [place][thread].
/// cause: local-scatter
///
/// SIZE: points, a multiple of 128; for a GPU 524288.
#include "pair.h"

namespace {

constexpr int kThreads = 128, kNearest = 8, kCandidates = 128;

__global__ void nearestSlow(const int *distances, int *nearest, int points) {
  int list[kNearest + 1];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int place = 0; place < kNearest; ++place)
    list[place] = 1 << 30;
  for (int candidate = 0; candidate < kCandidates; ++candidate) {
    const int distance = distances[candidate * points + i];
    int place = kNearest;
    for (; place > 0 && list[place - 1] > distance; --place)
      list[place] = list[place - 1];
    list[place] = distance; // <- waste: store
  }
  for (int place = 0; place < kNearest; ++place)
    nearest[place * points + i] = list[place];
}

__global__ void nearestFixed(const int *distances, int *nearest, int points) {
  __shared__ int list[kNearest + 1][kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int place = 0; place < kNearest; ++place)
    list[place][threadIdx.x] = 1 << 30;
  for (int candidate = 0; candidate < kCandidates; ++candidate) {
    const int distance = distances[candidate * points + i];
    int place = kNearest;
    for (; place > 0 && list[place - 1][threadIdx.x] > distance; --place)
      list[place][threadIdx.x] = list[place - 1][threadIdx.x];
    list[place][threadIdx.x] = distance;
  }
  for (int place = 0; place < kNearest; ++place)
    nearest[place * points + i] = list[place][threadIdx.x];
}

class NearestNeighbours : public Pair {
public:
  explicit NearestNeighbours(int points)
      : points_(points), host_(wholeNumbers<int>(std::size_t(points) * kCandidates, 1, 1 << 20)),
        distances_(host_), nearest_(std::size_t(points) * kNearest) {}

  void slow() override {
    nearestSlow<<<points_ / kThreads, kThreads>>>(distances_.data(), nearest_.data(), points_);
  }
  void fixed() override {
    nearestFixed<<<points_ / kThreads, kThreads>>>(distances_.data(), nearest_.data(), points_);
  }

  std::vector<double> results(Version) const override { return nearest_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(nearest_.size());
    for (int i = 0; i < points_; ++i) {
      std::vector<int> of;
      for (int candidate = 0; candidate < kCandidates; ++candidate)
        of.push_back(host_[std::size_t(candidate) * points_ + i]);
      std::sort(of.begin(), of.end());
      for (int place = 0; place < kNearest; ++place)
        wanted[std::size_t(place) * points_ + i] = of[place];
    }
    return wanted;
  }

private:
  int points_;
  std::vector<int> host_;
  DeviceArray<int> distances_, nearest_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<NearestNeighbours>(argc, argv, 2048, 128); }

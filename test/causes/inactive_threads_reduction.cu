/// The sum of all numbers, by a tree in place with a launch for each level.
///
/// Neighbours are added first, then sums of two that are two apart, and so on; so it is drawn in books. In
/// each launch every number has a thread, of which ever fewer have something to do, and what these access is
/// ever further apart.
/// Fix: add the upper half to the lower one, then of that the upper half: as many threads as sums, side by
/// side.
/// cause: inactive-threads
///
/// SIZE: numbers, a multiple of 1024, best a power of two; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

__global__ void addSlow(unsigned *numbers, int away, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % (2 * away) == 0 && i + away < n)
    numbers[i] += numbers[i + away]; // <- waste: load
}

__global__ void addFixed(unsigned *numbers, int away, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + away < n)
    numbers[i] += numbers[i + away];
}

class Reduction : public Pair {
public:
  explicit Reduction(int n) : n_(n), host_(wholeNumbers<unsigned>(n, 1, 100)), numbers_(n) {}

  void prepare() override { numbers_.assign(host_); }

  void slow() override {
    for (int away = 1; away < n_; away *= 2)
      addSlow<<<n_ / kThreads, kThreads>>>(numbers_.data(), away, n_);
  }

  void fixed() override {
    for (int left = n_; left > 1; left -= left / 2)
      addFixed<<<(left / 2 + kThreads - 1) / kThreads, kThreads>>>(numbers_.data(), left - left / 2, left);
  }

  /// The first number is the sum now.
  std::vector<double> results(Version) const override { return {double(numbers_.values()[0])}; }

  std::vector<double> wanted() const override {
    unsigned sum = 0;
    for (const unsigned number : host_)
      sum += number;
    return {double(sum)};
  }

private:
  int n_;
  std::vector<unsigned> host_;
  DeviceArray<unsigned> numbers_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Reduction>(argc, argv, 65536, 1024); }

/// A level of Haar's wavelet transform of a signal: sums and differences of each two samples.
///
/// Each sample has a thread, and the odd ones do nothing. What the others load is every second element, and
/// so half of each sector, twice.
/// Fix: a thread for each pair, which it loads at once.
/// cause: inactive-threads
///
/// SIZE: samples, a multiple of 512; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

__global__ void haarSlow(const int *samples, int *sums, int *differences) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) {
    const int even = samples[i], odd = samples[i + 1]; // <- waste: load
    sums[i / 2] = even + odd;
    differences[i / 2] = even - odd;
  }
}

__global__ void haarFixed(const int2 *pairs, int *sums, int *differences) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int2 pair = pairs[i];
  sums[i] = pair.x + pair.y;
  differences[i] = pair.x - pair.y;
}

class HaarWavelet : public Pair {
public:
  explicit HaarWavelet(int count)
      : count_(count), host_(wholeNumbers<int>(count, 1, 1000)), samples_(host_), sums_(count / 2),
        differences_(count / 2) {}

  void slow() override {
    haarSlow<<<count_ / kThreads, kThreads>>>(samples_.data(), sums_.data(), differences_.data());
  }

  void fixed() override {
    haarFixed<<<count_ / 2 / kThreads, kThreads>>>(reinterpret_cast<const int2 *>(samples_.data()),
                                                   sums_.data(), differences_.data());
  }

  std::vector<double> results(Version) const override {
    std::vector<double> results = sums_.doubles();
    const std::vector<double> differences = differences_.doubles();
    results.insert(results.end(), differences.begin(), differences.end());
    return results;
  }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(count_);
    for (int i = 0; i < count_ / 2; ++i) {
      wanted[i] = host_[2 * i] + host_[2 * i + 1];
      wanted[count_ / 2 + i] = host_[2 * i] - host_[2 * i + 1];
    }
    return wanted;
  }

private:
  int count_;
  std::vector<int> host_;
  DeviceArray<int> samples_, sums_, differences_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<HaarWavelet>(argc, argv, 131072, 512); }

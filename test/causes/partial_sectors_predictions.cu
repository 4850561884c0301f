/// The class that a network predicts for each sample: which of its 32 outputs is the greatest.
///
/// A block is a warp, and does a sample. Its first thread stores the class: of the sector it has 4 bytes, and
/// seven other blocks store the rest.
/// Fix: a warp does 32 samples, each of its threads keeps a class, and all store together.
/// cause: partial-sectors
///
/// SIZE: samples, a multiple of 256; for a GPU 2097152.
#include "pair.h"

namespace {

constexpr int kClasses = 32, kThreads = 256;

/// The lowest of those that are greatest.
__device__ int classOf(float output) {
  float most = output;
  for (int apart = 16; apart != 0; apart /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, apart));
  return __ffs(int(__ballot_sync(0xffffffff, output == most))) - 1;
}

__global__ void predictSlow(const float *outputs, int *classes) {
  const int best = classOf(outputs[blockIdx.x * kClasses + threadIdx.x]);
  if (threadIdx.x == 0)
    classes[blockIdx.x] = best; // <- waste: store
}

__global__ void predictFixed(const float *outputs, int *classes) {
  const int lane = threadIdx.x % 32, first = blockIdx.x * blockDim.x + threadIdx.x - lane;
  int mine = 0;
  for (int sample = 0; sample < 32; ++sample) {
    const int best = classOf(outputs[(first + sample) * kClasses + lane]);
    mine = sample == lane ? best : mine;
  }
  classes[first + lane] = mine;
}

class Predictions : public Pair {
public:
  explicit Predictions(int samples)
      : samples_(samples), host_(wholeNumbers<float>(std::size_t(samples) * kClasses, 1, 1 << 20)),
        outputs_(host_), classes_(samples) {}

  void slow() override { predictSlow<<<samples_, kClasses>>>(outputs_.data(), classes_.data()); }
  void fixed() override { predictFixed<<<samples_ / kThreads, kThreads>>>(outputs_.data(), classes_.data()); }

  std::vector<double> results(Version) const override { return classes_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (auto sample = host_.begin(); sample != host_.end(); sample += kClasses)
      wanted.push_back(double(std::max_element(sample, sample + kClasses) - sample));
    return wanted;
  }

private:
  int samples_;
  std::vector<float> host_;
  DeviceArray<float> outputs_;
  DeviceArray<int> classes_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Predictions>(argc, argv, 4096, 256); }

/// The backward pass of a network's layer: a ReLU, and a gain for each feature in front of it.
///
/// Each layer hands the gradient of its input to the layer in front. The first one does so, too, and nobody reads that.
/// Fix: leave that launch out for the first layer.
/// cause: never-read
///
/// SIZE: tokens, a multiple of 32; for a GPU 32768.
#include "pair.h"

namespace {

constexpr int kFeatures = 256; // a thread for each

__global__ void gainGradient(const float *out, const float *outGradient, float *gradient) {
  const int i = blockIdx.x * kFeatures + threadIdx.x;
  gradient[i] = outGradient[i] * (out[i] > 0 ? 1.0f : 0.0f);
}

// <- waste: store
__global__ void inputGradient(const float *gradient, const float *gain, float *inGradient) {
  const int i = blockIdx.x * kFeatures + threadIdx.x;
  inGradient[i] = gain[threadIdx.x] * gradient[i];
}

class Backward : public Pair {
public:
  explicit Backward(int tokens)
      : tokens_(tokens), out_(wholeNumbers<float>(std::size_t(tokens) * kFeatures, 1, 3)),
        outGradient_(wholeNumbers<float>(out_.size(), 2)), gain_(wholeNumbers<float>(kFeatures, 3)),
        deviceOut_(out_), deviceOutGradient_(outGradient_), deviceGain_(gain_), gradient_(out_.size()),
        inGradient_(out_.size()) {}

  void slow() override {
    fixed();
    inputGradient<<<tokens_, kFeatures>>>(gradient_.data(), deviceGain_.data(), inGradient_.data());
  }
  void fixed() override {
    gainGradient<<<tokens_, kFeatures>>>(deviceOut_.data(), deviceOutGradient_.data(), gradient_.data());
  }

  std::vector<double> results(Version) const override { return gradient_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> gradient(out_.size());
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = out_[i] > 0 ? outGradient_[i] : 0;
    return gradient;
  }

private:
  int tokens_;
  std::vector<float> out_, outGradient_, gain_;
  DeviceArray<float> deviceOut_, deviceOutGradient_, deviceGain_, gradient_, inGradient_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Backward>(argc, argv, 256, 32); }

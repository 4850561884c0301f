/// A waveform of 128 harmonics at each of many phases, by Clenshaw's recurrence.
///
/// All threads load one coefficient, then the next: each load is a request for 4 bytes.
/// Fix: the coefficients are in constant memory, and the loop is unrolled, so that instructions take them as they
/// take registers.
/// cause: broadcast
///
/// SIZE: phases, a multiple of 1024; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kHarmonics = 128;

__constant__ float ofWave[kHarmonics];

/// Coefficients are of cos(phase), cos(2 phase) and so on.
__global__ void waveSlow(const float *cosines, float *wave, const float *coefficients) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float cosine = cosines[i], twice = 2 * cosine;
  float last = 0, before = 0;
  for (int k = kHarmonics - 1; k >= 0; --k) {
    const float next = twice * last - before + coefficients[k]; // <- waste: load
    before = last;
    last = next;
  }
  wave[i] = cosine * last - before;
}

__global__ void waveFixed(const float *cosines, float *wave) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float cosine = cosines[i], twice = 2 * cosine;
  float last = 0, before = 0;
#pragma unroll
  for (int k = kHarmonics - 1; k >= 0; --k) {
    const float next = twice * last - before + ofWave[k];
    before = last;
    last = next;
  }
  wave[i] = cosine * last - before;
}

class Waveform : public Pair {
public:
  explicit Waveform(int count)
      : count_(count), hostCosines_(wholeNumbers<float>(count, 1)),
        hostCoefficients_(wholeNumbers<float>(kHarmonics, 2)), cosines_(scaled(hostCosines_)), wave_(count),
        coefficients_(hostCoefficients_) {
    MUST(cudaMemcpyToSymbol(ofWave, hostCoefficients_.data(), sizeof ofWave));
  }

  void slow() override {
    waveSlow<<<count_ / kThreads, kThreads>>>(cosines_.data(), wave_.data(), coefficients_.data());
  }
  void fixed() override { waveFixed<<<count_ / kThreads, kThreads>>>(cosines_.data(), wave_.data()); }

  std::vector<double> results(Version) const override { return wave_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const float cosine : scaled(hostCosines_)) {
      double last = 0, before = 0;
      for (int k = kHarmonics - 1; k >= 0; --k) {
        const double next = 2 * double(cosine) * last - before + hostCoefficients_[k];
        before = last;
        last = next;
      }
      wanted.push_back(cosine * last - before);
    }
    return wanted;
  }

private:
  /// To -0.5 to 0.4375.
  static std::vector<float> scaled(std::vector<float> values) {
    for (float &value : values)
      value = (value - 8) / 16;
    return values;
  }

  int count_;
  std::vector<float> hostCosines_, hostCoefficients_;
  DeviceArray<float> cosines_, wave_, coefficients_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Waveform>(argc, argv, 32768, 1024); }

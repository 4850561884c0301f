/// An output of a linear layer: the product of each sample's 32 features with a vector of weights.
///
/// The block brings the samples to shared memory, vector by vector of four floats, and each thread walks along its own
/// sample. Samples are 128 bytes apart, a row of the banks: vectors with one number are in the same banks.
/// Fix: keep vector v of sample s in the place v ^ s % 8, which takes no more memory.
/// cause: bank-conflict
///
/// SIZE: samples, a multiple of 64; for a GPU 4194304.
#include "pair.h"

namespace {

constexpr int kBlock = 64, kVectors = 8; ///< of a sample

__device__ float product(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__global__ void layerSlow(const float4 *in, const float4 *weights, float *out) {
  __shared__ float4 samples[kBlock][kVectors];
  const int t = threadIdx.x;
  for (int i = t; i < kBlock * kVectors; i += kBlock)
    samples[i / kVectors][i % kVectors] = __ldg(&in[blockIdx.x * kBlock * kVectors + i]);
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int v = 0; v < kVectors; ++v)
    sum += product(samples[t][v], __ldg(&weights[v])); // <- waste: load
  out[blockIdx.x * kBlock + t] = sum;
}

__global__ void layerFixed(const float4 *in, const float4 *weights, float *out) {
  __shared__ float4 samples[kBlock][kVectors];
  const int t = threadIdx.x;
  for (int i = t; i < kBlock * kVectors; i += kBlock)
    samples[i / kVectors][(i ^ i / kVectors) % kVectors] = __ldg(&in[blockIdx.x * kBlock * kVectors + i]);
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int v = 0; v < kVectors; ++v)
    sum += product(samples[t][(v ^ t) % kVectors], __ldg(&weights[v]));
  out[blockIdx.x * kBlock + t] = sum;
}

class LinearLayer : public Pair {
public:
  explicit LinearLayer(int size)
      : host_(wholeNumbers<float>(std::size_t(size) * kFeatures, 1)),
        hostWeights_(wholeNumbers<float>(kFeatures, 2)), in_(host_), weights_(hostWeights_), out_(size) {}

  void slow() override { run(layerSlow); }
  void fixed() override { run(layerFixed); }
  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(out_.size());
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted[i / kFeatures] += host_[i] * hostWeights_[i % kFeatures];
    return wanted;
  }

private:
  static constexpr std::size_t kFeatures = 4 * kVectors;
  void run(void (*kernel)(const float4 *, const float4 *, float *)) {
    kernel<<<int(out_.size()) / kBlock, kBlock>>>(reinterpret_cast<float4 *>(in_.data()),
                                                  reinterpret_cast<float4 *>(weights_.data()), out_.data());
  }

  std::vector<float> host_, hostWeights_;
  DeviceArray<float> in_, weights_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<LinearLayer>(argc, argv, 16384, 64); }

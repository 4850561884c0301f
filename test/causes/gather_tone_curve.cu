/// A tone curve of 4,096 values, looked up for each pixel of a raw image of 12 bits.
///
/// The curve is an array in global memory, and pixels of a warp have any values: each thread reads 4 bytes of
/// a sector of its own.
/// Fix: bring the curve to shared memory once for each block, and let a block do many pixels.
/// cause: gather
///
/// SIZE: pixels, a multiple of 8192; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kCurve = 4096, kThreads = 512, kPerThread = 128;

__global__ void developSlow(const unsigned short *raw, const float *curve, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = curve[raw[i]]; // <- waste: load
}

__global__ void developFixed(const unsigned short *raw, const float *curve, float *out, int n) {
  __shared__ float mine[kCurve];
  for (int i = threadIdx.x; i < kCurve; i += blockDim.x)
    mine[i] = curve[i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = mine[raw[i]];
}

class ToneCurve : public Pair {
public:
  explicit ToneCurve(int n)
      : n_(n), hostRaw_(wholeNumbers<unsigned short>(n, 1, kCurve)),
        hostCurve_(wholeNumbers<float>(kCurve, 2, 256)), raw_(hostRaw_), curve_(hostCurve_), out_(n) {}

  void slow() override { developSlow<<<blocks(), kThreads>>>(raw_.data(), curve_.data(), out_.data(), n_); }
  void fixed() override { developFixed<<<blocks(), kThreads>>>(raw_.data(), curve_.data(), out_.data(), n_); }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const unsigned short value : hostRaw_)
      wanted.push_back(hostCurve_[value]);
    return wanted;
  }

private:
  int blocks() const { return std::max(1, n_ / (kThreads * kPerThread)); }

  int n_;
  std::vector<unsigned short> hostRaw_;
  std::vector<float> hostCurve_;
  DeviceArray<unsigned short> raw_;
  DeviceArray<float> curve_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<ToneCurve>(argc, argv, 131072, 8192); }

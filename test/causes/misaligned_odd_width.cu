/// A gray image with its contrast stretched, from a tight one to one with a pitch, as textures want it.
///
/// Decoders put the rows of an image one behind the other. Rows of 1,001 pixels begin anywhere in a sector,
/// and each warp of them reads a part of one sector more than it needs.
/// Fix: a pitch, as of cudaMallocPitch, for the image that is read, too.
/// cause: misaligned
///
/// SIZE: rows of the image, a multiple of 8; for a GPU 32768.
#include "pair.h"

namespace {

constexpr int kWidth = 1001, kPitch = 1024;

__device__ float stretched(float value) { return fminf(fmaxf(2 * value - 8, 0), 15); }

__global__ void stretchSlow(const float *in, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kWidth)
    out[y * kPitch + x] = stretched(in[y * kWidth + x]); // <- waste: load
}

__global__ void stretchFixed(const float *in, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kWidth)
    out[y * kPitch + x] = stretched(in[y * kPitch + x]);
}

class OddWidth : public Pair {
public:
  explicit OddWidth(int height)
      : height_(height), host_(wholeNumbers<float>(std::size_t(height) * kWidth, 1)), tight_(host_),
        pitched_(withPitch()), out_(pitched_.size()) {}

  void prepare() override { out_.clear(); }

  void slow() override {
    stretchSlow<<<dim3(kPitch / 32, height_ / 8), dim3(32, 8)>>>(tight_.data(), out_.data());
  }
  void fixed() override {
    stretchFixed<<<dim3(kPitch / 32, height_ / 8), dim3(32, 8)>>>(pitched_.data(), out_.data());
  }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(std::size_t(height_) * kPitch);
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted[i / kWidth * kPitch + i % kWidth] = std::min(std::max(2 * host_[i] - 8, 0.0f), 15.0f);
    return wanted;
  }

private:
  std::vector<float> withPitch() const {
    std::vector<float> pitched(std::size_t(height_) * kPitch);
    for (std::size_t i = 0; i < host_.size(); ++i)
      pitched[i / kWidth * kPitch + i % kWidth] = host_[i];
    return pitched;
  }

  int height_;
  std::vector<float> host_; ///< tight
  DeviceArray<float> tight_, pitched_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<OddWidth>(argc, argv, 128, 8); }

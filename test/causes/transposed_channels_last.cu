/// The layout of a neural network's activations changed: from an image for each channel (CHW) to the channels
/// of a pixel side by side (HWC).
///
/// A thread makes an element of the result, and looks up where it comes from. Threads of a warp are channels
/// of one pixel, which are a whole image apart.
/// Fix: read a tile of 32 pixels and 32 channels along the pixels, and store it along the channels.
/// cause: transposed
///
/// SIZE: pixels, a multiple of 32; for a GPU 1048576.
#include "pair.h"

namespace {

constexpr int kChannels = 64, kThreads = 256;
constexpr int kTile = 32,
              kRows = 8; ///< fixed: a block has kRows rows of threads, and turns a tile of kTile rows

__global__ void channelsLastSlow(const float *chw, float *hwc, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pixel = i / kChannels, channel = i % kChannels;
  const float value = chw[channel * pixels + pixel]; // <- waste: load
  hwc[i] = value;
}

__global__ void channelsLastFixed(const float *chw, float *hwc, int pixels) {
  __shared__ float tile[kTile][kTile + 1];
  const int firstPixel = blockIdx.x * kTile, firstChannel = blockIdx.y * kTile;
  for (int row = threadIdx.y; row < kTile; row += kRows)
    tile[row][threadIdx.x] = chw[(firstChannel + row) * pixels + firstPixel + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += kRows)
    hwc[(firstPixel + row) * kChannels + firstChannel + threadIdx.x] = tile[threadIdx.x][row];
}

class ChannelsLast : public Pair {
public:
  explicit ChannelsLast(int pixels)
      : pixels_(pixels), host_(wholeNumbers<float>(std::size_t(pixels) * kChannels, 1)), chw_(host_),
        hwc_(host_.size()) {}

  void slow() override {
    channelsLastSlow<<<pixels_ * kChannels / kThreads, kThreads>>>(chw_.data(), hwc_.data(), pixels_);
  }

  void fixed() override {
    channelsLastFixed<<<dim3(pixels_ / kTile, kChannels / kTile), dim3(kTile, kRows)>>>(chw_.data(),
                                                                                        hwc_.data(), pixels_);
  }

  std::vector<double> results(Version) const override { return hwc_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int pixel = 0; pixel < pixels_; ++pixel)
      for (int channel = 0; channel < kChannels; ++channel)
        wanted.push_back(host_[std::size_t(channel) * pixels_ + pixel]);
    return wanted;
  }

private:
  int pixels_;
  std::vector<float> host_;
  DeviceArray<float> chw_, hwc_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<ChannelsLast>(argc, argv, 2048, 32); }

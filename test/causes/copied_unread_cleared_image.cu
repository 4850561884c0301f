/// An image in grey values, stretched to the whole of their range.
///
/// The result's memory is filled from the host's first, though every pixel is stored by the kernel.
/// Fix: leave the copy out.
/// cause: copied-unread
///
/// SIZE: pixels, a multiple of 256; for a GPU 4194304.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

__global__ void stretch(const float *image, float *stretched) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  stretched[i] = (image[i] - 4) * 16;
}

class Image : public Pair {
public:
  explicit Image(int pixels)
      : host_(wholeNumbers<float>(pixels, 1)), black_(pixels), image_(host_), stretched_(pixels) {}

  void slow() override {
    const std::size_t bytes = sizeof(float) * black_.size();
    MUST(cudaMemcpy(stretched_.data(), black_.data(), bytes, cudaMemcpyHostToDevice)); // <- waste: copy
    launch();
  }
  void fixed() override { launch(); }

  std::vector<double> results(Version) const override { return stretched_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> stretched;
    for (const float pixel : host_)
      stretched.push_back((pixel - 4) * 16);
    return stretched;
  }

private:
  void launch() {
    stretch<<<unsigned(host_.size()) / kThreads, kThreads>>>(image_.data(), stretched_.data());
  }

  std::vector<float> host_, black_;
  DeviceArray<float> image_, stretched_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Image>(argc, argv, 4096, 256); }

/// A mask of the pixels of an image of bytes that are bright.
///
/// Blocks are 8 x 32, as a kernel for another purpose had them. A row of 8 bytes is a quarter of a sector,
/// and a warp reads four such rows, each from a sector of its own.
/// Fix: blocks as wide as a warp, whose 32 bytes are a sector.
/// cause: narrow-rows
///
/// SIZE: edge of the image, a multiple of 32; for a GPU 16384.
#include "pair.h"

namespace {

constexpr int kLevel = 180;

__global__ void thresholdSlow(const unsigned char *image, unsigned char *mask, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  mask[y * width + x] = image[y * width + x] > kLevel ? 255 : 0; // <- waste: load
}

__global__ void thresholdFixed(const unsigned char *image, unsigned char *mask, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  mask[y * width + x] = image[y * width + x] > kLevel ? 255 : 0;
}

class Threshold : public Pair {
public:
  explicit Threshold(int edge)
      : edge_(edge), host_(wholeNumbers<unsigned char>(std::size_t(edge) * edge, 1, 256)), image_(host_),
        mask_(host_.size()) {}

  void slow() override {
    thresholdSlow<<<dim3(edge_ / 8, edge_ / 32), dim3(8, 32)>>>(image_.data(), mask_.data(), edge_);
  }

  void fixed() override {
    thresholdFixed<<<dim3(edge_ / 32, edge_ / 8), dim3(32, 8)>>>(image_.data(), mask_.data(), edge_);
  }

  std::vector<double> results(Version) const override { return mask_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const unsigned char value : host_)
      wanted.push_back(value > kLevel ? 255 : 0);
    return wanted;
  }

private:
  int edge_;
  std::vector<unsigned char> host_;
  DeviceArray<unsigned char> image_, mask_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Threshold>(argc, argv, 256, 32); }

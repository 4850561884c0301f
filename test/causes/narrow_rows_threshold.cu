/// A mask of the pixels of an image of bytes that are bright.
///
/// Blocks are 8 x 32, as a kernel for another purpose had them. A row of 8 bytes is a quarter of a sector,
/// and a warp reads four such rows, each from a sector of its own.
/// Fix: blocks as wide as a warp, whose threads take four pixels each.
/// cause: narrow-rows
///
/// SIZE: edge of the image, a multiple of 128; for a GPU 16384.
#include "pair.h"

namespace {

constexpr int kLevel = 180;

__global__ void thresholdSlow(const unsigned char *image, unsigned char *mask, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  mask[y * width + x] = image[y * width + x] > kLevel ? 255 : 0; // <- waste: load
}

__device__ unsigned char maskOf(unsigned char value) { return value > kLevel ? 255 : 0; }

__global__ void thresholdFixed(const uchar4 *image, uchar4 *mask, int fours) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const uchar4 four = image[y * fours + x];
  mask[y * fours + x] = make_uchar4(maskOf(four.x), maskOf(four.y), maskOf(four.z), maskOf(four.w));
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
    thresholdFixed<<<dim3(edge_ / 128, edge_ / 8), dim3(32, 8)>>>(
        reinterpret_cast<const uchar4 *>(image_.data()), reinterpret_cast<uchar4 *>(mask_.data()), edge_ / 4);
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

int main(int argc, char **argv) { return pairMain<Threshold>(argc, argv, 256, 128); }

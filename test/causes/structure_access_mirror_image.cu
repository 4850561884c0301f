/// An image of three floats for each pixel, mirrored: left becomes right.
///
/// A pixel is moved as one value, which reads well. But the machine moves 4, 8 or 16 bytes for each thread,
/// and 12 bytes that are aligned to 4 are three loads and three stores, in each of which threads of a warp
/// are 12 bytes apart.
/// Fix: a plane for each colour.
/// cause: structure-access
///
/// SIZE: edge of the image, a multiple of 32; for a GPU 4096.
#include "pair.h"

namespace {

struct Pixel {
  float red, green, blue;
};

__global__ void mirrorSlow(const Pixel *in, Pixel *out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + width - 1 - x] = in[y * width + x]; // <- waste: load
}

__global__ void mirrorFixed(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int plane = 0; plane < 3; ++plane, in += width * height, out += width * height)
    out[y * width + width - 1 - x] = in[y * width + x];
}

class MirrorImage : public Pair {
public:
  explicit MirrorImage(int edge)
      : edge_(edge), host_(wholeNumbers<float>(std::size_t(edge) * edge * 3, 1)), inPixels_(pixels()),
        outPixels_(inPixels_.size()), inPlanes_(host_), outPlanes_(host_.size()) {}

  void slow() override {
    mirrorSlow<<<dim3(edge_ / 32, edge_ / 8), dim3(32, 8)>>>(inPixels_.data(), outPixels_.data(), edge_);
  }

  void fixed() override {
    mirrorFixed<<<dim3(edge_ / 32, edge_ / 8), dim3(32, 8)>>>(inPlanes_.data(), outPlanes_.data(), edge_,
                                                              edge_);
  }

  std::vector<double> results(Version version) const override {
    if (version == Version::Fixed)
      return outPlanes_.doubles();
    std::vector<double> red, green, blue;
    for (const Pixel &pixel : outPixels_.values()) {
      red.push_back(pixel.red);
      green.push_back(pixel.green);
      blue.push_back(pixel.blue);
    }
    red.insert(red.end(), green.begin(), green.end());
    red.insert(red.end(), blue.begin(), blue.end());
    return red;
  }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(host_.begin(), host_.end());
    for (int row = 0; row < 3 * edge_; ++row)
      std::reverse(wanted.begin() + std::ptrdiff_t(row) * edge_,
                   wanted.begin() + std::ptrdiff_t(row + 1) * edge_);
    return wanted;
  }

private:
  std::vector<Pixel> pixels() const {
    const std::size_t count = host_.size() / 3;
    std::vector<Pixel> pixels;
    for (std::size_t i = 0; i < count; ++i)
      pixels.push_back({host_[i], host_[count + i], host_[2 * count + i]});
    return pixels;
  }

  int edge_;
  std::vector<float> host_; ///< planes
  DeviceArray<Pixel> inPixels_, outPixels_;
  DeviceArray<float> inPlanes_, outPlanes_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<MirrorImage>(argc, argv, 256, 32); }

/// The luminance of the pixels of a colour image, in whole numbers as image libraries do it, as floats for what comes next.
///
/// Decoders give three bytes for each pixel, one behind the other, and a structure of three bytes is what
/// they are. It is read a byte at a time, and threads of a warp are three bytes apart.
/// Fix: a plane for each colour, and four pixels for each thread.
/// cause: structure-stride
///
/// SIZE: pixels, a multiple of 1024; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

struct Pixel {
  unsigned char red, green, blue;
};

__global__ void grayscaleSlow(const Pixel *pixels, float *gray) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Pixel &p = pixels[i];
  gray[i] = float((77 * p.red + 150 * p.green + 29 * p.blue) >> 8); // <- waste: load
}

__device__ float luminance(int red, int green, int blue) {
  return float((77 * red + 150 * green + 29 * blue) >> 8);
}

__global__ void grayscaleFixed(const uchar4 *red, const uchar4 *green, const uchar4 *blue, float4 *gray) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uchar4 r = __ldg(red + i), g = __ldg(green + i), b = __ldg(blue + i);
  gray[i] = make_float4(luminance(r.x, g.x, b.x), luminance(r.y, g.y, b.y), luminance(r.z, g.z, b.z),
                        luminance(r.w, g.w, b.w));
}

class Grayscale : public Pair {
public:
  explicit Grayscale(int count)
      : count_(count), hostRed_(wholeNumbers<unsigned char>(count, 1, 256)),
        hostGreen_(wholeNumbers<unsigned char>(count, 2, 256)),
        hostBlue_(wholeNumbers<unsigned char>(count, 3, 256)), red_(hostRed_), green_(hostGreen_),
        blue_(hostBlue_), pixels_(makePixels()), gray_(count) {}

  void slow() override { grayscaleSlow<<<count_ / kThreads, kThreads>>>(pixels_.data(), gray_.data()); }

  void fixed() override {
    const auto fours = [](DeviceArray<unsigned char> &plane) { return (uchar4 *)plane.data(); };
    grayscaleFixed<<<count_ / 4 / kThreads, kThreads>>>(fours(red_), fours(green_), fours(blue_),
                                                        reinterpret_cast<float4 *>(gray_.data()));
  }

  std::vector<double> results(Version) const override { return gray_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int i = 0; i < count_; ++i)
      wanted.push_back((77 * hostRed_[i] + 150 * hostGreen_[i] + 29 * hostBlue_[i]) / 256);
    return wanted;
  }

private:
  std::vector<Pixel> makePixels() const {
    std::vector<Pixel> pixels;
    for (int i = 0; i < count_; ++i)
      pixels.push_back({hostRed_[i], hostGreen_[i], hostBlue_[i]});
    return pixels;
  }

  int count_;
  std::vector<unsigned char> hostRed_, hostGreen_, hostBlue_;
  DeviceArray<unsigned char> red_, green_, blue_;
  DeviceArray<Pixel> pixels_;
  DeviceArray<float> gray_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Grayscale>(argc, argv, 65536, 1024); }

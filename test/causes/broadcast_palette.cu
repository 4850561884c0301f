/// An image with a palette: for each pixel, the nearest of 64 colours.
///
/// Each thread goes through the palette, so all threads load one colour, then the next.
/// Fix: the palette is in constant memory, and the loop is unrolled, so that instructions take colours as they
/// take registers.
/// cause: broadcast
///
/// SIZE: pixels, a multiple of 1024; for a GPU 8388608.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kColours = 64;

__constant__ int constantPalette[kColours];

/// Of two colours of three bytes.
__host__ __device__ int distance(int a, int b) {
  const int red = (a & 255) - (b & 255), green = (a >> 8 & 255) - (b >> 8 & 255),
            blue = (a >> 16 & 255) - (b >> 16 & 255);
  return red * red + green * green + blue * blue;
}

__global__ void quantiseSlow(const int *image, int *indices, const int *palette) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pixel = image[i];
  int best = 1 << 30, index = 0;
  for (int k = 0; k < kColours; ++k) {
    const int apart = distance(pixel, palette[k]); // <- waste: load
    index = apart < best ? k : index;
    best = min(best, apart);
  }
  indices[i] = index;
}

__global__ void quantiseFixed(const int *image, int *indices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int pixel = image[i];
  int best = 1 << 30, index = 0;
#pragma unroll
  for (int k = 0; k < kColours; ++k) {
    const int apart = distance(pixel, constantPalette[k]);
    index = apart < best ? k : index;
    best = min(best, apart);
  }
  indices[i] = index;
}

class Palette : public Pair {
public:
  explicit Palette(int pixels)
      : pixels_(pixels), hostImage_(wholeNumbers<int>(pixels, 1, 1 << 24)),
        hostPalette_(wholeNumbers<int>(kColours, 2, 1 << 24)), image_(hostImage_), indices_(pixels),
        palette_(hostPalette_) {
    MUST(cudaMemcpyToSymbol(constantPalette, hostPalette_.data(), sizeof constantPalette));
  }

  void slow() override {
    quantiseSlow<<<pixels_ / kThreads, kThreads>>>(image_.data(), indices_.data(), palette_.data());
  }
  void fixed() override { quantiseFixed<<<pixels_ / kThreads, kThreads>>>(image_.data(), indices_.data()); }

  std::vector<double> results(Version) const override { return indices_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const int pixel : hostImage_)
      wanted.push_back(
          double(std::min_element(hostPalette_.begin(), hostPalette_.end(),
                                  [&](int a, int b) { return distance(pixel, a) < distance(pixel, b); }) -
                 hostPalette_.begin()));
    return wanted;
  }

private:
  int pixels_;
  std::vector<int> hostImage_, hostPalette_;
  DeviceArray<int> image_, indices_, palette_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Palette>(argc, argv, 32768, 1024); }

/// The last step of a ray tracer that sorts its rays by material before it shades them: each colour goes to
/// the pixel that its ray came from.
///
/// Rays of the whole image are sorted, so that neighbours end in pixels anywhere: each thread stores 4 bytes
/// to a sector of its own.
/// Fix: sort within tiles of 1,024 pixels, put the colours of a tile in order in shared memory, and store
/// them so.
/// cause: scatter
///
/// SIZE: pixels, a multiple of 1024; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kTile = 1024, kThreads = 256;

__device__ int shaded(int light) { return light * 0x010203; }

__global__ void shadeSlow(const int *light, const int *pixel, int *image) {
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  image[pixel[ray]] = shaded(light[ray]); // <- waste: store
}

/// `pixel`: within the tile.
__global__ void shadeFixed(const int *light, const int *pixel, int *image) {
  __shared__ int tile[kTile];
  const int first = blockIdx.x * kTile;
  for (int ray = threadIdx.x; ray < kTile; ray += blockDim.x)
    tile[pixel[first + ray]] = shaded(light[first + ray]);
  __syncthreads();
  for (int i = threadIdx.x; i < kTile; i += blockDim.x)
    image[first + i] = tile[i];
}

class RayShading : public Pair {
public:
  explicit RayShading(int pixels)
      : pixels_(pixels), host_(wholeNumbers<int>(pixels, 1, 85)), light_(pixels), pixel_(pixels),
        tiledLight_(pixels), tiledPixel_(pixels), image_(pixels) {
    const std::vector<int> order = shuffled(0, pixels, 2);
    std::vector<int> tiledOrder;
    for (int first = 0; first < pixels; first += kTile) {
      const std::vector<int> ofTile = shuffled(first, kTile, 3 + first);
      tiledOrder.insert(tiledOrder.end(), ofTile.begin(), ofTile.end());
    }
    light_.assign(lightOf(order));
    pixel_.assign(order);
    tiledLight_.assign(lightOf(tiledOrder));
    for (int &pixel : tiledOrder)
      pixel %= kTile;
    tiledPixel_.assign(tiledOrder);
  }

  void prepare() override { image_.clear(); }

  void slow() override {
    shadeSlow<<<pixels_ / kThreads, kThreads>>>(light_.data(), pixel_.data(), image_.data());
  }

  void fixed() override {
    shadeFixed<<<pixels_ / kTile, kThreads>>>(tiledLight_.data(), tiledPixel_.data(), image_.data());
  }

  std::vector<double> results(Version) const override { return image_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const int light : host_)
      wanted.push_back(light * 0x010203);
    return wanted;
  }

private:
  std::vector<int> lightOf(const std::vector<int> &pixels) const {
    std::vector<int> light;
    for (const int pixel : pixels)
      light.push_back(host_[pixel]);
    return light;
  }

  int pixels_;
  std::vector<int> host_; ///< light by pixel
  DeviceArray<int> light_, pixel_, tiledLight_, tiledPixel_, image_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<RayShading>(argc, argv, 131072, 1024); }

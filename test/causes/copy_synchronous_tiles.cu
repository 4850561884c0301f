/// A large picture is drawn on the host, tile by tile, and each tile's brightness is added up on the device.
///
/// The host waits for each copy, though it has the next tile to draw.
/// Fix: an asynchronous copy, and two buffers by turns.
/// cause: copy-synchronous
///
/// SIZE: pixels of a tile, a multiple of 256; for a GPU 4194304.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kTiles = 8;

__global__ void addTile(const float *tile, float *sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += tile[i];
}

class Tiles : public Pair {
public:
  explicit Tiles(int pixels) : pixels_(pixels), first_(pixels), second_(pixels), sum_(pixels) {
    for (int i = 0; i < 2; ++i) {
      MUST(cudaMallocHost(&drawn_[i], bytes()));
      MUST(cudaEventCreate(&isCopied_[i]));
    }
  }
  ~Tiles() override {
    for (int i = 0; i < 2; ++i) {
      cudaFreeHost(drawn_[i]);
      cudaEventDestroy(isCopied_[i]);
    }
  }

  void prepare() override { sum_.clear(); }

  void slow() override {
    for (int i = 0; i < kTiles; ++i) {
      draw(i, drawn_[0]);
      MUST(cudaMemcpy(first_.data(), drawn_[0], bytes(), cudaMemcpyHostToDevice)); // <- waste: copy
      addTile<<<pixels_ / kThreads, kThreads>>>(first_.data(), sum_.data());
    }
  }
  void fixed() override {
    for (int i = 0; i < kTiles; ++i) {
      float *to = i % 2 == 0 ? first_.data() : second_.data();
      if (i >= 2)
        MUST(cudaEventSynchronize(isCopied_[i % 2]));
      draw(i, drawn_[i % 2]);
      MUST(cudaMemcpyAsync(to, drawn_[i % 2], bytes(), cudaMemcpyHostToDevice));
      MUST(cudaEventRecord(isCopied_[i % 2]));
      addTile<<<pixels_ / kThreads, kThreads>>>(to, sum_.data());
    }
  }

  std::vector<double> results(Version) const override { return sum_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<float> tile(pixels_);
    std::vector<double> sum(pixels_);
    for (int i = 0; i < kTiles; ++i) {
      draw(i, tile.data());
      for (int pixel = 0; pixel < pixels_; ++pixel)
        sum[pixel] += tile[pixel];
    }
    return sum;
  }

private:
  std::size_t bytes() const { return sizeof(float) * pixels_; }
  void draw(int number, float *tile) const {
    for (int pixel = 0; pixel < pixels_; ++pixel)
      tile[pixel] = float(scattered(std::uint32_t(pixel + number * pixels_)) % 256);
  }

  int pixels_;
  float *drawn_[2] = {};
  cudaEvent_t isCopied_[2] = {};
  DeviceArray<float> first_, second_, sum_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Tiles>(argc, argv, 131072, 256); }

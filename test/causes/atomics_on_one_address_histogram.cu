/// How often each of 16 levels of brightness occurs in an image.
///
/// Each thread adds one to its pixel's counter. There are so few that threads of a warp meet at most of them,
/// and all blocks at all of them.
/// Fix: counters for each block, in shared memory, which it adds to those in global memory in the end; and
/// blocks that do many pixels. Threads take four pixels at a time.
/// cause: atomics-on-one-address
///
/// SIZE: pixels, a multiple of 4096; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kLevels = 16, kThreads = 256, kPerThread = 16;

__global__ void histogramSlow(const unsigned char *image, unsigned *counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[image[i] % kLevels], 1u); // <- waste: atomic
}

__global__ void histogramFixed(const uchar4 *image, unsigned *counts, int fours) {
  __shared__ unsigned mine[kLevels];
  if (threadIdx.x < kLevels)
    mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += gridDim.x * blockDim.x) {
    const uchar4 four = image[i];
    for (const unsigned pixel : {four.x, four.y, four.z, four.w})
      atomicAdd(&mine[pixel % kLevels], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kLevels)
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

class Histogram : public Pair {
public:
  explicit Histogram(int n)
      : n_(n), host_(wholeNumbers<unsigned char>(n, 1, 256)), image_(host_), counts_(kLevels) {}

  void prepare() override { counts_.clear(); }

  void slow() override { histogramSlow<<<blocks(), kThreads>>>(image_.data(), counts_.data(), n_); }
  void fixed() override {
    histogramFixed<<<blocks(), kThreads>>>(reinterpret_cast<const uchar4 *>(image_.data()), counts_.data(),
                                           n_ / 4);
  }

  std::vector<double> results(Version) const override { return counts_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(kLevels);
    for (const unsigned char pixel : host_)
      ++wanted[pixel % kLevels];
    return wanted;
  }

private:
  int blocks() const { return n_ / (kThreads * kPerThread); }

  int n_;
  std::vector<unsigned char> host_;
  DeviceArray<unsigned char> image_;
  DeviceArray<unsigned> counts_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Histogram>(argc, argv, 131072, 4096); }

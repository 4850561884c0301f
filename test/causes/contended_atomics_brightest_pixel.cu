/// The brightest pixel of an image of 32 bits, as where an exposure is set.
///
/// A warp finds its greatest value by shuffles, and one of its threads does the atomic. So there are a 32nd of
/// the atomics, and still all warps of the grid wait for one sector of the L2 cache.
/// Fix: find the block's greatest value in shared memory, and do one atomic for each block.
/// cause: contended-atomics
///
/// SIZE: pixels, a multiple of 2048; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

__device__ unsigned greatestOfWarp(unsigned value) {
  for (int apart = 16; apart != 0; apart /= 2)
    value = max(value, __shfl_xor_sync(0xffffffff, value, apart));
  return value;
}

__global__ void brightestSlow(const unsigned *image, unsigned *brightest) {
  const unsigned most = greatestOfWarp(image[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    atomicMax(brightest, most); // <- waste: atomic
}

__global__ void brightestFixed(const unsigned *image, unsigned *brightest) {
  __shared__ unsigned ofWarps[kWarps];
  const unsigned most = greatestOfWarp(image[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    ofWarps[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned ofBlock = 0;
    for (int warp = 0; warp < kWarps; ++warp)
      ofBlock = max(ofBlock, ofWarps[warp]);
    atomicMax(brightest, ofBlock);
  }
}

class BrightestPixel : public Pair {
public:
  explicit BrightestPixel(int count)
      : count_(count), host_(wholeNumbers<unsigned>(count, 1, 1u << 24)), image_(host_), brightest_(1) {}

  void prepare() override { brightest_.clear(); }

  void slow() override { brightestSlow<<<count_ / kThreads, kThreads>>>(image_.data(), brightest_.data()); }
  void fixed() override { brightestFixed<<<count_ / kThreads, kThreads>>>(image_.data(), brightest_.data()); }

  std::vector<double> results(Version) const override { return brightest_.doubles(); }

  std::vector<double> wanted() const override {
    return {double(*std::max_element(host_.begin(), host_.end()))};
  }

private:
  int count_;
  std::vector<unsigned> host_;
  DeviceArray<unsigned> image_, brightest_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<BrightestPixel>(argc, argv, 131072, 2048); }

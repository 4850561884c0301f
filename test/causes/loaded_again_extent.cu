/// The extent of a cloud of points along an axis: the least and the greatest coordinate of each block of points, as
/// where a tree is built over them.
///
/// The least and the greatest are found by two kernels, each of which brings all points from memory.
/// Fix: one kernel that finds both.
/// cause: loaded-again
///
/// SIZE: blocks of 4,096 points, a multiple of 2; for a GPU 16000.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kPoints = 4096;

struct Least {
  __device__ float operator()(float a, float b) const { return fminf(a, b); }
};
struct Greatest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// Of all threads' values, for thread 0.
template <typename Choose> __device__ float ofBlock(float value, float *ofWarps, Choose choose) {
  for (int apart = 16; apart != 0; apart /= 2)
    value = choose(value, __shfl_xor_sync(0xffffffff, value, apart));
  if (threadIdx.x % 32 == 0)
    ofWarps[threadIdx.x / 32] = value;
  __syncthreads();
  for (int warp = 0; warp < kWarps; ++warp)
    value = choose(value, ofWarps[warp]);
  return value;
}

__global__ void leastOf(const float *points, float *least) {
  __shared__ float ofWarps[kWarps];
  float mine = INFINITY;
  for (int i = threadIdx.x; i < kPoints; i += kThreads)
    mine = fminf(mine, points[blockIdx.x * kPoints + i]);
  mine = ofBlock(mine, ofWarps, Least());
  if (threadIdx.x == 0)
    least[blockIdx.x] = mine;
}

__global__ void greatestOf(const float *points, float *greatest) {
  __shared__ float ofWarps[kWarps];
  float mine = -INFINITY;
  for (int i = threadIdx.x; i < kPoints; i += kThreads)
    mine = fmaxf(mine, points[blockIdx.x * kPoints + i]); // <- waste: load
  mine = ofBlock(mine, ofWarps, Greatest());
  if (threadIdx.x == 0)
    greatest[blockIdx.x] = mine;
}

__global__ void extentOf(const float *points, float *least, float *greatest) {
  __shared__ float leastOfWarps[kWarps], greatestOfWarps[kWarps];
  float low = INFINITY, high = -INFINITY;
  for (int i = threadIdx.x; i < kPoints; i += kThreads) {
    const float point = points[blockIdx.x * kPoints + i];
    low = fminf(low, point);
    high = fmaxf(high, point);
  }
  low = ofBlock(low, leastOfWarps, Least());
  high = ofBlock(high, greatestOfWarps, Greatest());
  if (threadIdx.x == 0) {
    least[blockIdx.x] = low;
    greatest[blockIdx.x] = high;
  }
}

class Extent : public Pair {
public:
  explicit Extent(int blocks)
      : blocks_(blocks), host_(wholeNumbers<float>(std::size_t(blocks) * kPoints, 1, 1 << 20)),
        points_(host_), least_(blocks), greatest_(blocks) {}

  void slow() override {
    leastOf<<<blocks_, kThreads>>>(points_.data(), least_.data());
    greatestOf<<<blocks_, kThreads>>>(points_.data(), greatest_.data());
  }
  void fixed() override { extentOf<<<blocks_, kThreads>>>(points_.data(), least_.data(), greatest_.data()); }

  std::vector<double> results(Version) const override {
    std::vector<double> both = least_.doubles();
    const std::vector<double> greatest = greatest_.doubles();
    both.insert(both.end(), greatest.begin(), greatest.end());
    return both;
  }

  std::vector<double> wanted() const override {
    std::vector<double> least, greatest;
    for (auto block = host_.begin(); block != host_.end(); block += kPoints) {
      least.push_back(*std::min_element(block, block + kPoints));
      greatest.push_back(*std::max_element(block, block + kPoints));
    }
    least.insert(least.end(), greatest.begin(), greatest.end());
    return least;
  }

private:
  int blocks_;
  std::vector<float> host_;
  DeviceArray<float> points_, least_, greatest_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Extent>(argc, argv, 16, 2); }

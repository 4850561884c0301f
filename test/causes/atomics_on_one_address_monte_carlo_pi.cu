/// Pi by Monte Carlo's method: how many points of a square lie in the circle in it.
///
/// Each thread whose point does adds one to the only counter. Such atomics come one after the other, however
/// many threads there are.
/// Fix: count within a warp by a vote, within a block in shared memory, and add once for each block.
/// cause: atomics-on-one-address
///
/// SIZE: points, a multiple of 256; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kRadius = 1024;

__device__ bool isInside(int x, int y) { return x * x + y * y < kRadius * kRadius; }

__global__ void countSlow(const int *x, const int *y, unsigned *inside) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (isInside(x[i], y[i]))
    atomicAdd(inside, 1u); // <- waste: atomic
}

__global__ void countFixed(const int *x, const int *y, unsigned *inside) {
  __shared__ unsigned ofBlock;
  if (threadIdx.x == 0)
    ofBlock = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned votes = __ballot_sync(0xffffffff, isInside(x[i], y[i]));
  if (threadIdx.x % 32 == 0)
    atomicAdd(&ofBlock, unsigned(__popc(votes)));
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(inside, ofBlock);
}

class MonteCarloPi : public Pair {
public:
  explicit MonteCarloPi(int count)
      : count_(count), hostX_(wholeNumbers<int>(count, 1, kRadius)),
        hostY_(wholeNumbers<int>(count, 2, kRadius)), x_(hostX_), y_(hostY_), inside_(1) {}

  void prepare() override { inside_.clear(); }

  void slow() override { countSlow<<<count_ / kThreads, kThreads>>>(x_.data(), y_.data(), inside_.data()); }
  void fixed() override { countFixed<<<count_ / kThreads, kThreads>>>(x_.data(), y_.data(), inside_.data()); }

  std::vector<double> results(Version) const override { return inside_.doubles(); }

  std::vector<double> wanted() const override {
    double inside = 0;
    for (int i = 0; i < count_; ++i)
      inside += hostX_[i] * hostX_[i] + hostY_[i] * hostY_[i] < kRadius * kRadius;
    return {inside};
  }

private:
  int count_;
  std::vector<int> hostX_, hostY_;
  DeviceArray<int> x_, y_;
  DeviceArray<unsigned> inside_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<MonteCarloPi>(argc, argv, 131072, 256); }

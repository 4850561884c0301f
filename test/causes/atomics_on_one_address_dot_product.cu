/// The scalar product of two vectors.
///
/// Each thread adds its product to the only sum, which is right, and short. All of the atomics come one after
/// the other.
/// Fix: add up what a thread sees in a register, within a warp by shuffles, and add once for each block.
/// cause: atomics-on-one-address
///
/// SIZE: elements, a multiple of 4096; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kPerThread = 16;

using Sum = unsigned long long;

__global__ void dotSlow(const unsigned *x, const unsigned *y, Sum *sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(sum, Sum(x[i] * y[i])); // <- waste: atomic
}

__global__ void dotFixed(const unsigned *x, const unsigned *y, Sum *sum, int n) {
  __shared__ unsigned ofBlock;
  if (threadIdx.x == 0)
    ofBlock = 0;
  __syncthreads();
  unsigned mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += x[i] * y[i];
  for (int distance = 16; distance > 0; distance /= 2)
    mine += __shfl_down_sync(0xffffffff, mine, distance);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&ofBlock, mine);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, Sum(ofBlock));
}

class DotProduct : public Pair {
public:
  explicit DotProduct(int n)
      : n_(n), hostX_(wholeNumbers<unsigned>(n, 1)), hostY_(wholeNumbers<unsigned>(n, 2)), x_(hostX_),
        y_(hostY_), sum_(1) {}

  void prepare() override { sum_.clear(); }

  void slow() override { dotSlow<<<blocks(), kThreads>>>(x_.data(), y_.data(), sum_.data(), n_); }
  void fixed() override { dotFixed<<<blocks(), kThreads>>>(x_.data(), y_.data(), sum_.data(), n_); }

  std::vector<double> results(Version) const override { return sum_.doubles(); }

  std::vector<double> wanted() const override {
    double sum = 0;
    for (int i = 0; i < n_; ++i)
      sum += hostX_[i] * hostY_[i];
    return {sum};
  }

private:
  int blocks() const { return n_ / (kThreads * kPerThread); }

  int n_;
  std::vector<unsigned> hostX_, hostY_;
  DeviceArray<unsigned> x_, y_;
  DeviceArray<Sum> sum_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<DotProduct>(argc, argv, 131072, 4096); }

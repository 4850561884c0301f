/// The sum of all elements: a grid-stride loop, warps by shuffles, blocks in shared memory, an atomic for each block.
#include "workload.h"

namespace {

constexpr int kThreads = 256, kBlocks = 1024;

__global__ void reductionKernel(const int *in, unsigned long long *sum, int n) {
  __shared__ int ofWarps[kThreads / 32];
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    mine += in[i];
  for (int distance = 16; distance > 0; distance /= 2)
    mine += __shfl_down_sync(0xffffffff, mine, distance);
  if (threadIdx.x % 32 == 0)
    ofWarps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int warp = 0; warp < kThreads / 32; ++warp)
      total += ofWarps[warp];
    atomicAdd(sum, (unsigned long long)total);
  }
}

class Reduction : public Workload {
public:
  explicit Reduction(int n) : host_(makeNumbers(n)), in_(host_), sum_(1) {}

  void run() override {
    MUST(cudaMemsetAsync(sum_.data(), 0, sizeof(unsigned long long)));
    reductionKernel<<<kBlocks, kThreads>>>(in_.data(), sum_.data(), int(host_.size()));
  }

  bool right() override {
    unsigned long long wanted = 0;
    for (const int number : host_)
      wanted += number;
    return sum_.values()[0] == wanted;
  }

private:
  static std::vector<int> makeNumbers(int n) {
    std::vector<int> numbers(n);
    for (int i = 0; i < n; ++i)
      numbers[i] = int(scattered(i) % 100);
    return numbers;
  }

  std::vector<int> host_;
  DeviceArray<int> in_;
  DeviceArray<unsigned long long> sum_;
};

} // namespace

std::unique_ptr<Workload> reduction(int size) { return std::make_unique<Reduction>(size); }

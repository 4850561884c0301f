/// A block reduction: shuffles in the warp, dynamic shared memory between warps, one atomic addition per
/// block. 8 blocks of 256: 2,048 loads of 4 bytes and 8 atomic additions of 4 bytes. Then a warp reduction
/// in which only some lanes take part: 3 blocks of 32 with 16 lanes each, 48 loads and 3 stores.
#include "verdict.h"

#include <algorithm>

__global__ void sumAll(const int *in, int *sum) {
  extern __shared__ int ofWarp[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = in[blockDim.x * blockIdx.x + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (lane == 0)
    ofWarp[warp] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < int(blockDim.x) / 32; ++w)
      total += ofWarp[w];
    atomicAdd(sum, total);
  }
}

__global__ void greatest(const int *in, int *out) {
  if (threadIdx.x >= 16)
    return;
  int value = in[blockDim.x * blockIdx.x + threadIdx.x];
  for (int distance = 8; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(0x0000ffffu, value, distance));
  if (threadIdx.x == 0)
    out[blockIdx.x] = value;
}

int main() {
  const int n = 2048;
  const auto in = generate<int>(n, [](std::size_t i) { return int(i * 7 % 1000); });
  int total = 0;
  for (int value : in)
    total += value;
  Device<int> deviceIn(in), sum(std::vector<int>(1, 0)), most(3);
  sumAll<<<8, 256, 8 * sizeof(int)>>>(deviceIn, sum);
  greatest<<<3, 32>>>(deviceIn, most);
  Verdict verdict("reduce");
  verdict.equal("sum", sum.read(), std::vector<int>{total});
  verdict.equal("greatest", most.read(), generate<int>(3, [&](std::size_t block) {
                  int value = 0;
                  for (int lane = 0; lane < 16; ++lane)
                    value = std::max(value, in[32 * block + lane]);
                  return value;
                }));
  return verdict.finish();
}

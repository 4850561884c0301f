/// A histogram of 4,096 bytes over 64 counters: first in shared memory (whose atomics are not global memory
/// and are not counted), then added to the global counters. 8 blocks of 128, four bytes per thread: 4,096
/// loads of 1 byte, and 64 atomic additions per block, 512 in all. A second kernel counts without shared
/// memory, everyone on the same few words, with the result unused: 1,024 atomic additions.
#include "verdict.h"

__global__ void histogram(const unsigned char *data, unsigned *counters) {
  __shared__ unsigned own[64];
  if (threadIdx.x < 64)
    own[threadIdx.x] = 0;
  __syncthreads();
  for (int round = 0; round < 4; ++round)
    atomicAdd(&own[data[(blockIdx.x * 4 + round) * 128 + threadIdx.x] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&counters[threadIdx.x], own[threadIdx.x]);
}

__global__ void countAll(unsigned *counters) { atomicAdd(&counters[threadIdx.x % 2], 1u); }

int main() {
  const auto data = generate<unsigned char>(4096, [](std::size_t i) { return (unsigned char)(i * i / 3); });
  std::vector<unsigned> wanted(64, 0);
  for (unsigned char byte : data)
    ++wanted[byte % 64];
  Device<unsigned char> deviceData(data);
  Device<unsigned> counters(std::vector<unsigned>(64, 0)), two(std::vector<unsigned>(2, 0));
  histogram<<<8, 128>>>(deviceData, counters);
  countAll<<<8, 128>>>(two);
  Verdict verdict("contended");
  verdict.equal("histogram", counters.read(), wanted);
  verdict.equal("two counters", two.read(), std::vector<unsigned>(2, 512));
  return verdict.finish();
}

/// What a program is told about its kernel is the same with and without tracing (the output is compared):
/// registers, the largest block, blocks per multiprocessor. And an attribute that it sets, more dynamic
/// shared memory than the default, holds for the launch. 4 blocks of 256: 1024 loads and 1024 stores of 4
/// bytes.
#include "verdict.h"

__global__ void reverse(const int *in, int *out) {
  extern __shared__ int block[];
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  block[16384 - threadIdx.x] = in[i];
  __syncthreads();
  out[i] = block[16384 - (blockDim.x - 1 - threadIdx.x)];
}

int main() {
  const int n = 1024, sharedBytes = 80 * 1024;
  cudaFuncAttributes attributes;
  MUST(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes));
  MUST(cudaFuncGetAttributes(&attributes, reverse));
  int blocks = 0, grid = 0, block = 0;
  MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 0));
  MUST(cudaOccupancyMaxPotentialBlockSize(&grid, &block, reverse, 0, 0));
  std::printf("%d registers, blocks of at most %d, %d blocks of 256, best grid %d x %d, shared %d\n",
              attributes.numRegs, attributes.maxThreadsPerBlock, blocks, grid, block,
              attributes.maxDynamicSharedSizeBytes);

  Device<int> in(generate<int>(n, [](std::size_t i) { return int(i); })), out(n);
  reverse<<<n / 256, 256, sharedBytes>>>(in, out);
  MUST(cudaGetLastError());
  Verdict verdict("occupancy");
  verdict.equal("out", out.read(),
                generate<int>(n, [](std::size_t i) { return int(i / 256 * 256 + 255 - i % 256); }));
  return verdict.finish();
}

// Blocks that wait for blocks, later ones too, however few host threads there are: as many as the device holds make
// progress. And a block that fails ends those that wait for it.
#include "check.h"
#include <cooperative_groups.h>

namespace {

/// Each block waits for the one after it.
__global__ void fromLastToFirst(unsigned *done) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) {
    sum = 0;
    if (blockIdx.x + 1 < gridDim.x)
      while (!(sum = atomicAdd(&done[blockIdx.x + 1], 0u))) {
      }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    atomicExch(&done[blockIdx.x], sum + 1);
}

/// All threads of a block wait, for the block before it and the block behind it.
__global__ void neighbours(volatile unsigned *step, unsigned steps) {
  for (unsigned i = 1; i <= steps; ++i) {
    __syncthreads();
    if (threadIdx.x == 0)
      step[blockIdx.x] = i;
    while (step[(blockIdx.x + 1) % gridDim.x] < i || step[(blockIdx.x + gridDim.x - 1) % gridDim.x] < i) {
    }
  }
}

/// A barrier of the whole grid, as people write it themselves.
__global__ void barriers(unsigned *arrived, unsigned *sums, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    atomicAdd(&sums[round], threadIdx.x + 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(arrived, 1u);
      while (atomicAdd(arrived, 0u) < (round + 1) * gridDim.x) {
      }
    }
    __syncthreads();
    const unsigned expected = gridDim.x * blockDim.x * (blockDim.x + 1) / 2;
    if (*static_cast<volatile unsigned *>(&sums[round]) != expected)
      __trap();
  }
}

__global__ void cooperative(unsigned *sums, unsigned rounds) {
  const auto grid = cooperative_groups::this_grid();
  for (unsigned round = 0; round < rounds; ++round) {
    atomicAdd(&sums[round], 1u);
    grid.sync();
    if (*static_cast<volatile unsigned *>(&sums[round]) != gridDim.x * blockDim.x)
      __trap();
  }
}

/// The first waits for the second, which fails.
__global__ void forNothing(volatile unsigned *never) {
  if (blockIdx.x == 1)
    __trap();
  while (!*never) {
  }
}

} // namespace

int main(int, char **arguments) {
  keepStandardError(arguments);
  // As many of 64 threads as the device holds; a thread sanitizer has no room for that many stacks.
  const char *const blocks = std::getenv("CHECK_BLOCKS");
  const unsigned most = blocks ? std::strtoul(blocks, nullptr, 10) : 512;
  unsigned *words = nullptr;
  CUDA(cudaMallocManaged(&words, most * sizeof *words));
  const auto clear = [&] {
    for (unsigned i = 0; i < most; ++i)
      words[i] = 0;
  };

  for (const unsigned grid : {2u, 17u, most}) {
    clear();
    fromLastToFirst<<<grid, 32>>>(words);
    CUDA(cudaDeviceSynchronize());
    CHECK(words[0] == grid, "%u of %u", words[0], grid);

    clear();
    barriers<<<grid, 64>>>(words, words + 1, 5);
    CUDA(cudaDeviceSynchronize());
  }
  clear();
  neighbours<<<most / 12, 96>>>(words, 20);
  CUDA(cudaDeviceSynchronize());
  for (unsigned i = 0; i < most / 12; ++i)
    CHECK(words[i] == 20, "%u: %u", i, words[i]);

  clear();
  unsigned rounds = 5;
  void *list[] = {&words, &rounds};
  CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(cooperative), dim3(most / 2), dim3(64), list));
  CUDA(cudaDeviceSynchronize());

  clear();
  cudaError_t error = cudaSuccess;
  const std::string text = said([&] {
    forNothing<<<8, 32>>>(words);
    error = cudaDeviceSynchronize();
  });
  CHECK(error == cudaErrorIllegalInstruction, "%s", cudaGetErrorString(error));
  CHECK(text.find("block (1,0,0)") != std::string::npos && text.find('\n') == text.size() - 1, "%s",
        text.c_str());
  std::puts("ok");
}

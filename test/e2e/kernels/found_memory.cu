/// Memory that is allocated behind the runtime's back, by the driver's calls: kernels get it as an argument and in a
/// structure, at an offset. Its allocation is in the trace all the same. 2 blocks
/// of 32 threads: 64 loads and 64 stores each.
#include "verdict.h"

#include <cuda.h>

struct Pair {
  int count;
  int *to;
};

__global__ void fill(int *out, const int *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}

__global__ void fillPair(Pair pair, const int *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pair.count)
    pair.to[i] = in[i] + 2;
}

static void must(CUresult result, const char *call, int line) {
  must(result == CUDA_SUCCESS ? cudaSuccess : static_cast<cudaError_t>(result), call, line);
}

int main() {
  const std::vector<int> values = generate<int>(64, [](std::size_t i) { return int(i); });
  Device<int> in(values);
  Verdict verdict("found_memory");
  CUdeviceptr first, second;
  MUST(cuMemAlloc(&first, 4096));
  MUST(cuMemAlloc(&second, 64 << 20));
  std::vector<int> out(64);
  fill<<<2, 32>>>(reinterpret_cast<int *>(first), in);
  MUST(cudaMemcpy(out.data(), reinterpret_cast<void *>(first), 256, cudaMemcpyDeviceToHost));
  verdict.equal("argument", out, generate<int>(64, [](std::size_t i) { return int(i) + 1; }));
  fillPair<<<2, 32>>>(Pair{64, reinterpret_cast<int *>(second + 1024)}, in);
  MUST(cudaMemcpy(out.data(), reinterpret_cast<void *>(second + 1024), 256, cudaMemcpyDeviceToHost));
  verdict.equal("in a structure", out, generate<int>(64, [](std::size_t i) { return int(i) + 2; }));
  fill<<<2, 32>>>(reinterpret_cast<int *>(first), in);
  MUST(cudaDeviceSynchronize());
  MUST(cuMemFree(first));
  MUST(cuMemFree(second));
  return verdict.finish();
}

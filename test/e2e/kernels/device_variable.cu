/// `__device__` variables are global memory, `__constant__` ones are not. 2 blocks of 64: each thread loads
/// `offset` (all lanes the same word), and element i of `grid`; `factor` is constant and is not counted.
/// 256 loads, 128 stores, and one atomic addition per thread to `total`.
#include "verdict.h"

__device__ int offset = 7;
__device__ int grid[128];
__device__ int total;
__constant__ int factor;

__global__ void useVariables(int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const int value = grid[i] * factor + offset;
  out[i] = value;
  atomicAdd(&total, value);
}

int main() {
  const int n = 128;
  const auto values = generate<int>(n, [](std::size_t i) { return int(i * i); });
  const int three = 3, zero = 0;
  MUST(cudaMemcpyToSymbol(grid, values.data(), sizeof(int) * n));
  MUST(cudaMemcpyToSymbol(factor, &three, sizeof three));
  MUST(cudaMemcpyToSymbol(total, &zero, sizeof zero));
  Device<int> out(n);
  useVariables<<<2, 64>>>(out);
  const auto wanted = generate<int>(n, [&](std::size_t i) { return values[i] * 3 + 7; });
  int sum = 0, found = 0;
  for (int value : wanted)
    sum += value;
  MUST(cudaMemcpyFromSymbol(&found, total, sizeof found));
  Verdict verdict("device_variable");
  verdict.equal("out", out.read(), wanted);
  verdict.equal("total", std::vector<int>{found}, std::vector<int>{sum});
  return verdict.finish();
}

/// Pinned host memory that a kernel uses directly counts as global memory. 2 blocks of 32: 64 loads and 64
/// stores of 4 bytes.
#include "verdict.h"

__global__ void negate(const int *in, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = -in[i];
}

int main() {
  const int n = 64;
  int *host = nullptr, *mapped = nullptr;
  MUST(cudaHostAlloc(&host, sizeof(int) * n, cudaHostAllocMapped));
  for (int i = 0; i < n; ++i)
    host[i] = 3 * i;
  MUST(cudaHostGetDevicePointer(&mapped, host, 0));
  Device<int> out(n);
  negate<<<2, 32>>>(mapped, out);
  Verdict verdict("host_mapped");
  verdict.equal("out", out.read(), generate<int>(n, [](std::size_t i) { return -3 * int(i); }));
  MUST(cudaFreeHost(host));
  return verdict.finish();
}

/// Launches that leave no record: a kernel without accesses, one whose threads all return, one that only
/// uses shared memory (but for the one store at its end), and a launch that fails: the program sees the
/// same error as always and goes on.
#include "verdict.h"

__global__ void empty() {}

__global__ void allReturn(int *out, int n) {
  if (int(threadIdx.x) >= n)
    out[threadIdx.x] = 1;
}

__global__ void sharedOnly(int *out) {
  __shared__ int ring[64];
  ring[threadIdx.x] = int(threadIdx.x);
  for (int round = 0; round < 10; ++round) {
    __syncthreads();
    const int neighbour = ring[(threadIdx.x + 1) % 64];
    __syncthreads();
    ring[threadIdx.x] += neighbour;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    *out = ring[63];
}

int main() {
  Device<int> out(std::vector<int>(64, 0));
  empty<<<3, 50>>>();
  allReturn<<<2, 64>>>(out, 64);
  sharedOnly<<<1, 64>>>(out);
  std::vector<int> ring = generate<int>(64, [](std::size_t i) { return int(i); });
  for (int round = 0; round < 10; ++round) {
    const std::vector<int> before = ring;
    for (int i = 0; i < 64; ++i)
      ring[i] += before[(i + 1) % 64];
  }
  Verdict verdict("nothing");
  std::vector<int> wanted(64, 0);
  wanted[0] = ring[63];
  verdict.equal("out", out.read(), wanted);

  empty<<<1, 5000>>>();
  const cudaError_t error = cudaGetLastError();
  verdict.equal("error", std::vector<int>{int(error)}, std::vector<int>{int(cudaErrorInvalidValue)});
  verdict.equal("error again", std::vector<int>{int(cudaGetLastError())}, std::vector<int>{int(cudaSuccess)});
  return verdict.finish();
}

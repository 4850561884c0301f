/// Four streams with three launches each, given alternately, that may overlap; each stream's launches add
/// its number to its own array. 3 blocks of 128, 300 elements: 300 loads and 300 stores of 4 bytes per
/// launch.
#include "verdict.h"

__global__ void addNumber(int *values, int n, int number) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    values[i] += number;
}

int main() {
  const int n = 300, streams = 4, rounds = 3;
  cudaStream_t stream[streams];
  int *values[streams];
  for (int s = 0; s < streams; ++s) {
    MUST(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    MUST(cudaMalloc(&values[s], sizeof(int) * n));
    MUST(cudaMemsetAsync(values[s], 0, sizeof(int) * n, stream[s]));
  }
  for (int round = 0; round < rounds; ++round)
    for (int s = 0; s < streams; ++s)
      addNumber<<<3, 128, 0, stream[s]>>>(values[s], n, s + 1);
  Verdict verdict("streams");
  for (int s = 0; s < streams; ++s) {
    std::vector<int> found(n);
    MUST(cudaMemcpyAsync(found.data(), values[s], sizeof(int) * n, cudaMemcpyDeviceToHost, stream[s]));
    MUST(cudaStreamSynchronize(stream[s]));
    verdict.equal("values", found, std::vector<int>(n, rounds * (s + 1)));
    MUST(cudaFree(values[s]));
    MUST(cudaStreamDestroy(stream[s]));
  }
  return verdict.finish();
}

// Threads of a block turn a piece of memory round, and nobody waits.
#include <cstdio>

__global__ void turn(int *out, const int *in, bool waits) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (waits)
    __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main(int argc, char **) {
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  turn<<<1, 64>>>(out, in, argc > 1);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(in);
  return 0;
}

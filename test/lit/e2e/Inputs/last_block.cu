// Sums numbers in one launch: the block that arrives last adds what all have left. Without RELEASE or ACQUIRE a fence is missing.
#include <cstdio>

__device__ unsigned arrived = 0;

__global__ void sum(const int *in, int *partial, int *out, int n) {
  __shared__ int cells[128];
  __shared__ bool isLast;
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += in[i];
  cells[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 64; half; half /= 2) {
    if (threadIdx.x < half)
      cells[threadIdx.x] += cells[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = cells[0];
#ifdef RELEASE
    __threadfence();
#endif
    isLast = atomicAdd(&arrived, 1) == gridDim.x - 1;
#ifdef ACQUIRE
    __threadfence();
#endif
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    int total = 0;
    for (int i = 0; i < gridDim.x; ++i)
      total += partial[i]; // read
    *out = total;
    arrived = 0;
  }
}

int main() {
  const int n = 10000;
  int *in = nullptr, *partial = nullptr, *out = nullptr;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&partial, 16 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < n; ++i)
    in[i] = i % 7;
  sum<<<16, 128>>>(in, partial, out, n);
  cudaDeviceSynchronize();
  std::printf("%d\n", *out);
  return *out == 29994 ? 0 : 1;
}

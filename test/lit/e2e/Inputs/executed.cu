#include <cuda_runtime.h>

__global__ void scale(float *data, int times) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float value = data[t];
  if (threadIdx.x < 10)
    for (int i = 0; i < times; ++i)
      value = __fmaf_rn(value, value, 1.0f);
  data[t] = value;
}

__global__ void other(int *data) { data[threadIdx.x] = 1; }

int main() {
  float *floats;
  int *ints;
  cudaMalloc(&floats, 128 * sizeof(float));
  cudaMalloc(&ints, 32 * sizeof(int));
  cudaMemset(floats, 0, 128 * sizeof(float));
  scale<<<2, 64>>>(floats, 3);
  other<<<1, 32>>>(ints);
  return cudaDeviceSynchronize() != cudaSuccess;
}

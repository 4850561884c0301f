// A program for a GPU where there is none that it may see, which looks at no error: it goes to its end, and is told of the error.
// RUN: %cuprxx --device=gpu -arch=sm_90 -O2 -o %t %s
// RUN: env CUDA_VISIBLE_DEVICES= CUPR_DEVICE=gpu CUPR_TRACE=%t.cuprtrace %t 2>/dev/null | %filecheck %s
// CHECK: {{no CUDA-capable device is detected|CUDA driver version is insufficient for CUDA runtime version}}
#include <cstdio>

__global__ void ones(int *out) { out[threadIdx.x] = 1; }

int main() {
  int *device = nullptr, host[32] = {};
  cudaMalloc(&device, sizeof host);
  ones<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}

// Kernels compiled for a processor that this machine doesn't have are refused, and the first call that needs them
// says why. Built for bdver4, whose XOP instructions no processor has had since.
#include "check.h"

__global__ void add(float *p, float a) { p[threadIdx.x] = p[threadIdx.x] * a + 1; }

int main() {
  float *p;
  CUDA(cudaMallocManaged(&p, 32 * sizeof(float)));
  for (int i = 0; i < 32; ++i)
    p[i] = 2;
  for (int round = 0; round < 2; ++round) {
    add<<<1, 32>>>(p, 3);
    const cudaError_t error = cudaGetLastError();
    CHECK(error == cudaErrorNoKernelImageForDevice, "%s", cudaGetErrorString(error));
    CUDA(cudaDeviceSynchronize());
  }
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, add) == cudaErrorNoKernelImageForDevice, "attributes are known");
  CHECK(p[0] == 2, "it has run: %g", p[0]);
  std::puts("ok");
}

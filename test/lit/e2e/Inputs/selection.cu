// Five launches of 4, 3, 2, 1 and 5 blocks: the number of blocks tells them apart.
#include <cupr/control.h>
#include <nvtx3/nvToolsExt.h>

__global__ void add(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void clear(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

int main() {
  float *x;
  nvtxRangePushA("setup"); // before the first CUDA call
  cudaMalloc(&x, 1024 * sizeof *x);
  clear<<<4, 256>>>(x);
  nvtxRangePop();
  nvtxRangePushA("solve");
  add<<<3, 256>>>(x);
  nvtxRangePop();
  cuprStart();
  add<<<2, 256>>>(x);
  cuprStop();
  const nvtxRangeId_t range = nvtxRangeStartA("solve again");
  clear<<<1, 256>>>(x);
  cuprStart();
  add<<<5, 32>>>(x);
  nvtxRangeEnd(range);
  return cudaDeviceSynchronize();
}

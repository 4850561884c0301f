// Heat goes round a ring of 1024 cells, 3 steps in one launch, between two arrays.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

constexpr int kCells = 1024, kThreads = 128;

__device__ __noinline__ void waitForAll() { cg::this_grid().sync(); }

__global__ void heat(float *from, float *to, int steps, bool inFunction) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    const float left = from[(cell + kCells - 1) % kCells], right = from[(cell + 1) % kCells];
    to[cell] = 0.5f * from[cell] + 0.25f * (left + right);
    if (inFunction)
      waitForAll();
    else
      cg::this_grid().sync();
    float *const last = from;
    from = to;
    to = last;
  }
}

int main(int count, char **) {
  float *from, *to;
  cudaMalloc(&from, kCells * sizeof(float));
  cudaMalloc(&to, kCells * sizeof(float));
  cudaMemset(from, 0, kCells * sizeof(float));
  int steps = 3;
  bool inFunction = count > 1;
  void *arguments[] = {&from, &to, &steps, &inFunction};
  cudaLaunchCooperativeKernel(reinterpret_cast<void *>(heat), dim3(kCells / kThreads), dim3(kThreads), arguments, 0, nullptr);
  if (const cudaError_t error = cudaDeviceSynchronize()) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaFree(from);
  cudaFree(to);
}

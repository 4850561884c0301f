/// The kernel, and the loop over time steps with two buffers that change places.
#include "stack.cuh"

#include <cstdio>
#include <utility>

/// Blocks tile a layer; each thread goes through all layers.
__global__ void __launch_bounds__(kBlockX *kBlockY) heatStep(float *next, const float *now, Stack stack) {
  const int x = blockIdx.x * kBlockX + threadIdx.x;
  const int y = blockIdx.y * kBlockY + threadIdx.y;
  if (x < stack.edge && y < stack.edge)
    stepColumn(next, now, stack, x, y);
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "hotspot3d: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

bool simulateOnDevice(float *temperature, const Stack &stack, int steps) {
  const size_t bytes = sizeof(float) * stack.edge * stack.edge * stack.layers;
  float *power = nullptr, *now = nullptr, *next = nullptr;
  bool good = succeeded(cudaMalloc(&power, bytes), "cudaMalloc of the power") &&
              succeeded(cudaMalloc(&now, bytes), "cudaMalloc of the temperature") &&
              succeeded(cudaMalloc(&next, bytes), "cudaMalloc of the next temperature") &&
              succeeded(cudaMemcpy(power, stack.power, bytes, cudaMemcpyHostToDevice), "copying the power") &&
              succeeded(cudaMemcpy(now, temperature, bytes, cudaMemcpyHostToDevice), "copying the start");

  const dim3 block(kBlockX, kBlockY);
  const dim3 grid((stack.edge + kBlockX - 1) / kBlockX, (stack.edge + kBlockY - 1) / kBlockY);
  for (int step = 0; good && step < steps; ++step) {
    heatStep<<<grid, block>>>(next, now, Stack{power, stack.edge, stack.layers});
    good = succeeded(cudaGetLastError(), "launching heatStep");
    std::swap(now, next);
  }

  good = good && succeeded(cudaMemcpy(temperature, now, bytes, cudaMemcpyDeviceToHost), "copying the result");
  cudaFree(next);
  cudaFree(now);
  cudaFree(power);
  return good;
}

/// The kernel, and the loop over time steps with two buffers that change places.
#include "heat.cuh"

#include <cstdio>
#include <utility>

__global__ void heatStep(float *next, const float *now, Chip chip) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  if (x < chip.edge && y < chip.edge)
    next[y * chip.edge + x] = nextTemperature(now, chip, x, y);
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "hotspot: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

bool simulateOnDevice(float *temperature, const float *power, int edge, int steps) {
  const size_t bytes = sizeof(float) * edge * edge;
  float *devicePower = nullptr, *now = nullptr, *next = nullptr;
  bool good = succeeded(cudaMalloc(&devicePower, bytes), "cudaMalloc of the power") &&
              succeeded(cudaMalloc(&now, bytes), "cudaMalloc of the temperature") &&
              succeeded(cudaMalloc(&next, bytes), "cudaMalloc of the next temperature") &&
              succeeded(cudaMemcpy(devicePower, power, bytes, cudaMemcpyHostToDevice), "copying the power") &&
              succeeded(cudaMemcpy(now, temperature, bytes, cudaMemcpyHostToDevice), "copying the start");

  const dim3 block(kTile, kTile);
  const dim3 grid((edge + kTile - 1) / kTile, (edge + kTile - 1) / kTile);
  for (int step = 0; good && step < steps; ++step) {
    heatStep<<<grid, block>>>(next, now, Chip{devicePower, edge});
    good = succeeded(cudaGetLastError(), "launching heatStep");
    std::swap(now, next);
  }

  good = good && succeeded(cudaMemcpy(temperature, now, bytes, cudaMemcpyDeviceToHost), "copying the result");
  cudaFree(next);
  cudaFree(now);
  cudaFree(devicePower);
  return good;
}

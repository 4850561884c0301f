/// Memory on the device for a simulation, and the loop over launches with two buffers that change places.
#ifndef HOTSPOT_SIMULATION_H
#define HOTSPOT_SIMULATION_H

#include "heat.h"

#include <cstdio>
#include <utility>

inline bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "hotspot: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

/// What simulateOnDevice does. `launch(next, now, chip, steps)` launches a kernel that goes at most `steps`
/// steps from `now` to `next`, and returns how many.
template <typename Launch>
bool simulate(float *temperature, const float *power, int edge, int steps, Launch launch) {
  const size_t bytes = sizeof(float) * edge * edge;
  float *devicePower = nullptr, *now = nullptr, *next = nullptr;
  bool good = succeeded(cudaMalloc(&devicePower, bytes), "cudaMalloc of the power") &&
              succeeded(cudaMalloc(&now, bytes), "cudaMalloc of the temperature") &&
              succeeded(cudaMalloc(&next, bytes), "cudaMalloc of the next temperature") &&
              succeeded(cudaMemcpy(devicePower, power, bytes, cudaMemcpyHostToDevice), "copying the power") &&
              succeeded(cudaMemcpy(now, temperature, bytes, cudaMemcpyHostToDevice), "copying the start");

  while (good && steps > 0) {
    steps -= launch(next, now, Chip{devicePower, edge}, steps);
    good = succeeded(cudaGetLastError(), "launching the kernel");
    std::swap(now, next);
  }

  good = good && succeeded(cudaMemcpy(temperature, now, bytes, cudaMemcpyDeviceToHost), "copying the result");
  cudaFree(next);
  cudaFree(now);
  cudaFree(devicePower);
  return good;
}

#endif

/// The kernel that goes one step, and its launch.
#include "heat.cuh"
#include "simulation.h"

__global__ void heatStep(float *next, const float *now, Chip chip) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  if (x < chip.edge && y < chip.edge)
    next[y * chip.edge + x] = nextTemperature(now, chip, x, y);
}

bool simulateOnDevice(float *temperature, const float *power, int edge, int steps) {
  const dim3 block(kTile, kTile);
  const dim3 grid((edge + kTile - 1) / kTile, (edge + kTile - 1) / kTile);
  return simulate(temperature, power, edge, steps, [=](float *next, const float *now, Chip chip, int) {
    heatStep<<<grid, block>>>(next, now, chip);
    return 1;
  });
}

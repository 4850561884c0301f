/// The same computation with deep halos; takes the place of step.cu.
///
/// A step needs the neighbours' border, and only the end of a kernel makes it visible. A block that loads a
/// halo of kDepth cells around its tile can go kDepth steps without asking anyone: in each step the cells at
/// the rim of what it knows go stale, and after kDepth steps just the tile is left. The halos are loaded and
/// computed by several blocks; in exchange there is one launch where there were kDepth.
#include "heat.cuh"
#include "simulation.h"

#include <algorithm>

static constexpr int kDepth = 2;                  ///< most steps per launch
static constexpr int kInner = kTile - 2 * kDepth; ///< edge of the tile that a block stores

__global__ void heatSteps(float *next, const float *now, Chip chip, int steps) {
  __shared__ float tile[2][kTile][kTile];
  const int column = threadIdx.x, row = threadIdx.y;
  const int x = blockIdx.x * kInner + column - kDepth;
  const int y = blockIdx.y * kInner + row - kDepth;
  const bool onChip = x >= 0 && x < chip.edge && y >= 0 && y < chip.edge;
  const int rim = min(min(column, kTile - 1 - column), min(row, kTile - 1 - row));
  float power = 0;
  if (onChip) {
    tile[0][row][column] = now[y * chip.edge + x];
    if (rim > 0)
      power = chip.power[y * chip.edge + x];
  }
  __syncthreads();

  for (int step = 1; step <= steps; ++step) {
    if (onChip && rim >= step) {
      const float (*known)[kTile] = tile[(step - 1) % 2];
      const float here = known[row][column];
      const float north = y > 0 ? known[row - 1][column] : here;
      const float south = y < chip.edge - 1 ? known[row + 1][column] : here;
      const float west = x > 0 ? known[row][column - 1] : here;
      const float east = x < chip.edge - 1 ? known[row][column + 1] : here;
      tile[step % 2][row][column] = afterStep(here, (north + south) + (west + east), power);
    }
    __syncthreads();
  }
  if (onChip && rim >= kDepth)
    next[y * chip.edge + x] = tile[steps % 2][row][column];
}

bool simulateOnDevice(float *temperature, const float *power, int edge, int steps) {
  const dim3 block(kTile, kTile);
  const dim3 grid((edge + kInner - 1) / kInner, (edge + kInner - 1) / kInner);
  return simulate(temperature, power, edge, steps, [=](float *next, const float *now, Chip chip, int left) {
    const int taken = std::min(kDepth, left);
    heatSteps<<<grid, block>>>(next, now, chip, taken);
    return taken;
  });
}

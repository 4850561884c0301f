/// The update of one cell, as device functions.
#ifndef HOTSPOT_HEAT_CUH
#define HOTSPOT_HEAT_CUH

#include "heat.h"

/// The cell at (x, y); beyond the border lies a copy of the border.
__device__ inline float temperatureAt(const float *temperature, int edge, int x, int y) {
  const int column = min(max(x, 0), edge - 1);
  const int row = min(max(y, 0), edge - 1);
  return temperature[row * edge + column];
}

/// What a cell with temperature `here` will be after one step; `around` is the sum of its four neighbours.
__device__ inline float afterStep(float here, float around, float power) {
  const float inflow = around - 4.0f * here;
  const float heating = kHeating * power;
  return here + kConduct * inflow + heating + kCooling * (kAmbient - here);
}

/// What cell (x, y) will be after one step.
__device__ inline float nextTemperature(const float *temperature, Chip chip, int x, int y) {
  const float here = temperatureAt(temperature, chip.edge, x, y);
  const float north = temperatureAt(temperature, chip.edge, x, y - 1);
  const float south = temperatureAt(temperature, chip.edge, x, y + 1);
  const float west = temperatureAt(temperature, chip.edge, x - 1, y);
  const float east = temperatureAt(temperature, chip.edge, x + 1, y);
  return afterStep(here, (north + south) + (west + east), chip.power[y * chip.edge + x]);
}

#endif

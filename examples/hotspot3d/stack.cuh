/// The way of one thread through the layers, as a device function.
#ifndef HOTSPOT3D_STACK_CUH
#define HOTSPOT3D_STACK_CUH

#include "stack.h"

/// Takes the cells at (x, y) of all layers one step further. What lies below, here and above is carried from
/// layer to layer in registers: each is loaded once. Beyond the border lies a copy of the border.
__device__ inline void stepColumn(float *next, const float *now, const Stack &stack, int x, int y) {
  const int edge = stack.edge, layer = edge * edge;
  const int west = x > 0 ? -1 : 0, east = x < edge - 1 ? 1 : 0;
  const int north = y > 0 ? -edge : 0, south = y < edge - 1 ? edge : 0;
  int cell = y * edge + x;
  float here = now[cell];
  float below = here;
  for (int z = 0; z < stack.layers; ++z, cell += layer) {
    const float above = z < stack.layers - 1 ? now[cell + layer] : here;
    const float around = (now[cell + north] + now[cell + south]) + (now[cell + west] + now[cell + east]);
    const float inflow = kConduct * (around - 4.0f * here) + kConductZ * ((below + above) - 2.0f * here);
    next[cell] = here + inflow + kHeating * stack.power[cell] + kCooling * (kAmbient - here);
    below = here;
    here = above;
  }
}

#endif

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "kernels.cuh"
#pragma once
static __device__ inline int same(const cupr::Trace &cupr_trace, int value) { return value; }
static __global__ void put(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) { out[threadIdx.x] = same(cupr_trace, value); }
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "kernels.cuh", "2:35+31 3:28+48 3:75+12")
#endif

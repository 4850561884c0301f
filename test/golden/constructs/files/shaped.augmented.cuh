#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "shaped.cuh"
#ifdef OTHER
#define ADD 4
static __device__ int load(const cupr::Trace &cupr_trace, const int *in) { return in[threadIdx.x]; }
#elif !defined(ADD)
#define ADD 1
static __device__ int load(const cupr::Trace &cupr_trace, const int *in) { return in[threadIdx.x]; }
#endif
static __global__ void NAME(const __grid_constant__ cupr::Trace cupr_trace, SHAPE(int) out, SHAPE(const int) in) { out[threadIdx.x] = load(cupr_trace, in) + ADD; }
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "shaped.cuh", "3:28+31 6:28+31 8:29+48 8:92+12")
#endif

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "part.cu"
static __global__ void part(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) { out[threadIdx.x] = load(cupr_trace, in) + same(cupr_trace, 2); }
static void runPart(int *out, const int *in) { part<<<1, 32>>>(cupr_launch(0), out, in); }
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "part.cu", "1:29+48 1:80+12 1:91+12 2:64+16")
#endif

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "odd_ends.cu"
/// A byte order mark, carriage returns, a last line without an end, tabs and letters outside of ASCII.
#include "verdict.h"

/* ä */ __device__ int load(const cupr::Trace &cupr_trace, const int *größe) { return größe[threadIdx.x]; }
	__global__ void	tabs(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {	/* ü */	out[threadIdx.x] = load(cupr_trace, in); }
#define LAUNCH(kernel, ...) \
  kernel<<<1, 32>>>(cupr_launch(0) __VA_OPT__(,)  \
      __VA_ARGS__)

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  LAUNCH(tabs, out, in);
  Verdict verdict("odd_ends");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(i); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "odd_ends.cu", "4:30+31 5:23+48 5:83+12 7:21+29")
#endif

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "line_directives.cu"
/// A source that says of its lines where they come from, as generators do: the trace says so too.
#include "verdict.h"

__device__ int load(const cupr::Trace &cupr_trace, const int *in) { return in[threadIdx.x]; }
#line 100 "model.gen"
__global__ void generated(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) { out[threadIdx.x] = load(cupr_trace, in) + __LINE__; }
# 200 "second.gen"
__global__ void again(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  out[threadIdx.x] = load(cupr_trace, in) + __LINE__;
}
#line 300
static void run(int *out, const int *in) {
  generated<<<1, 32>>>(cupr_launch(0), out, in);
  again<<<1, 32>>>(cupr_launch(1), out + 32, in);
}
#line 14 "line_directives.cu"
int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(64);
  run(out, in);
  Verdict verdict("line_directives");
  verdict.equal("out", out.read(), generate<int>(64, [](std::size_t i) { return int(i % 32 + (i < 32 ? 100 : 201)); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "line_directives.cu", "4:21+31")
#endif
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "model.gen", "100:27+48 100:78+12")
#endif
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "second.gen", "200:23+48 201:27+12 301:24+16 302:20+16")
#endif

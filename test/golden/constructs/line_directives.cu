/// A source that says of its lines where they come from, as generators do: the trace says so too.
#include "verdict.h"

__device__ int load(const int *in) { return in[threadIdx.x]; }
#line 100 "model.gen"
__global__ void generated(int *out, const int *in) { out[threadIdx.x] = load(in) + __LINE__; }
# 200 "second.gen"
__global__ void again(int *out, const int *in) {
  out[threadIdx.x] = load(in) + __LINE__;
}
#line 300
static void run(int *out, const int *in) {
  generated<<<1, 32>>>(out, in);
  again<<<1, 32>>>(out + 32, in);
}
#line 14 "line_directives.cu"
int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(64);
  run(out, in);
  Verdict verdict("line_directives");
  verdict.equal("out", out.read(), generate<int>(64, [](std::size_t i) { return int(i % 32 + (i < 32 ? 100 : 201)); }));
  return verdict.finish();
}

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "cpp23.cu"
/// What C++23 adds: a deduced `this`, `if consteval`, subscripts of several dimensions, static operators.
#include "verdict.h"

__device__ int load(const cupr::Trace &cupr_trace, const volatile int *in, int i) { return in[i]; }
struct Matrix {
  const volatile int *in;
  template <class Self> __device__ int at(this const Self &self, int i) { return self.offset(cupr::current()) + load(cupr::current(), self.in, i); }
  __device__ int plain(this Matrix self, int i) { return load(cupr::current(), self.in, i); }
  __device__ int offset(const cupr::Trace &cupr_trace) const { return 0; }
  __device__ int operator[](int i, int j) const { return at(i) + plain(j); }
};
struct Shifted : Matrix {
  __device__ int offset(const cupr::Trace &cupr_trace) const { return load(cupr_trace, in, 1); }
};
struct Static {
  static __device__ int operator()(const volatile int *in, int i) { return load(cupr::current(), in, i); }
};
__host__ __device__ constexpr int side() {
  if consteval {
    return 1;
  } else {
    return 2;
  }
}

__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, Matrix matrix) {
  const int i = int(threadIdx.x);
  const auto lambda = [](int k) static { return k; };
  const int room[side()] = {side()};
  out[i] = matrix[i, i] + Shifted{matrix}.at(i) + Static()(matrix.in, i) + lambda(i) + room[0];
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  kernel<<<1, 32>>>(cupr_launch(0), out, Matrix{static_cast<const int *>(in)});
  Verdict verdict("cpp23");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(5 * i + 3); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "cpp23.cu", "4:21+31 7:94+15 7:103+17 8:63+17 9:25+29 13:25+29 13:47+12 16:81+17 26:24+48 35:21+16")
#endif

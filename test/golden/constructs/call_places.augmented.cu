#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "call_places.cu"
/// Calls of device functions wherever an expression stands, and however macros write them.
#include "verdict.h"
#include <cassert>

typedef const volatile int *Source;
__device__ int load(const cupr::Trace &cupr_trace, Source in, int i = 0) { return in[i]; }
__device__ int load1(const cupr::Trace &cupr_trace, Source in) { return in[1]; }
__device__ bool is(const cupr::Trace &cupr_trace, int value) { return value != 0; }
struct Pair {
  int a, b;
};
__device__ Pair pair(const cupr::Trace &cupr_trace, Source in) { return {in[0], in[1]}; }
struct Range {
  int numbers[2];
  __device__ const int *begin() const { return numbers; }
  __device__ const int *end() const { return numbers + 2; }
};
__device__ Range range(const cupr::Trace &cupr_trace, Source in) { return {{in[0], in[1]}}; }
template <int N> __device__ int sum(const cupr::Trace &cupr_trace, Source in) { return sum<N - 1>(cupr_trace, in) + sum<N - 2>(cupr_trace, in); }
template <> __device__ int sum<0>(const cupr::Trace &cupr_trace, Source) { return 0; }
template <> __device__ int sum<1>(const cupr::Trace &cupr_trace, Source in) { return in[1]; }
__device__ auto counted(const cupr::Trace &cupr_trace, Source in, int n) { if (n <= 0) return in[0]; return counted(cupr_trace, in, n - 1) + 1; }

#define PASTED(n, in) load##n(cupr_trace, in)
#define ALIAS load
#define TWICE(x) ((x) + (x))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define CALL(f, ...) f(cupr_trace __VA_OPT__(,) __VA_ARGS__)
#define NESTED(x) TWICE(CALL(load1, x))
#define load(in, i) load(cupr_trace, (in), (i))
#define STRING(x) #x

__global__ void places(const __grid_constant__ cupr::Trace cupr_trace, int *out, Source in) {
  enum { kSize = sizeof(load1(cupr_trace, in)) };
  int sum0 = kSize - 4;                                            // 0
  switch (load(in, 1)) {                                           // one load of in[1]
  case 1: sum0 += PASTED(1, in);                                   // 1
  }
  if (const Pair p = pair(cupr_trace, in); is(cupr_trace, p.b)) sum0 += p.a + p.b;         // 1
  auto [a, b] = pair(cupr_trace, in);                                          // 1
  sum0 += a + b;
  for (int number : range(cupr_trace, in)) sum0 += number;                     // 1
  for (int i = load(in, 0); i < load(in, 1); i += load(in, 1)) ++sum0; // 1
  while (!is(cupr_trace, load(in, 1))) {
  }
  do { ++sum0; } while (is(cupr_trace, load(in, 0)));                          // 1
  sum0 += TWICE(load(in, 1)) + LARGER(load(in, 0), load(in, 1));   // 3
  sum0 += NESTED(in) + CALL(load1, in) + ALIAS(in, 1);             // 2 + 1 + 1
  assert(load(in, 1) == 1);
  asm volatile("add.s32 %0, %0, %1;" : "+r"(sum0) : "r"(load1(cupr_trace, in))); // 1
  sum0 += ({ const int inner = load1(cupr_trace, in); inner; });               // 1
  const auto self = [&](auto &&again, int n) -> int { return n ? again(again, n - 1) : load1(cupr::current(), in); };
  sum0 += self(self, 2) + sum<3>(cupr_trace, in) + counted(cupr_trace, in, 2);             // 1 + 2 + 2
  sum0 += is(cupr_trace, load1(cupr_trace, in)); // 1
  out[0] = sum0;
}
#undef load
__global__ void braces(int *out, Pair pair, const char * = STRING((load(x)))) { out[1] = pair.a + pair.b; }
__global__ void nothing(const __grid_constant__ cupr::Trace cupr_trace
) {}

int main() {
  Device<int> in(std::vector<int>{0, 1}), out(2);
  (places)<<<1, 1>>>(cupr_launch(0), out, static_cast<int *>(in));
  (*&braces)<<<cupr_place(1)->*1, 1>>>(out, {1, 2}, nullptr);
  nothing<<<1, 1>>>(cupr_launch(2)/* nothing */);
  nothing<<<1, 1>>>(cupr_launch(3)
  );
  if (false) braces<<<cupr_place(4)->*1, 1>>>(out, Pair());
  ({ nothing<<<1, 1>>>(cupr_launch(5)); });
  Verdict verdict("call_places");
  verdict.equal("out", out.read(), {21, 3});
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "call_places.cu", "6:21+31 7:22+31 8:20+31 12:22+31 18:24+31 19:37+31 19:68+12 19:85+12 20:35+31 21:35+31 22:25+31 22:86+12 24:31+12 28:24+25 30:26+12 33:24+48 34:31+12 39:27+12 39:35+12 40:22+12 42:27+12 44:14+12 46:28+12 50:63+12 51:38+12 52:94+17 53:34+12 53:48+12 54:14+12 54:20+12 59:25+46 64:22+16 65:16+16 66:21+14 67:21+14 69:23+16 70:24+14")
#endif

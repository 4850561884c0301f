/// Calls of device functions wherever an expression stands, and however macros write them.
#include "verdict.h"
#include <cassert>

typedef const volatile int *Source;
__device__ int load(Source in, int i = 0) { return in[i]; }
__device__ int load1(Source in) { return in[1]; }
__device__ bool is(int value) { return value != 0; }
struct Pair {
  int a, b;
};
__device__ Pair pair(Source in) { return {in[0], in[1]}; }
struct Range {
  int numbers[2];
  __device__ const int *begin() const { return numbers; }
  __device__ const int *end() const { return numbers + 2; }
};
__device__ Range range(Source in) { return {{in[0], in[1]}}; }
template <int N> __device__ int sum(Source in) { return sum<N - 1>(in) + sum<N - 2>(in); }
template <> __device__ int sum<0>(Source) { return 0; }
template <> __device__ int sum<1>(Source in) { return in[1]; }
__device__ auto counted(Source in, int n) { if (n <= 0) return in[0]; return counted(in, n - 1) + 1; }

#define PASTED(n, in) load##n(in)
#define ALIAS load
#define TWICE(x) ((x) + (x))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define CALL(f, ...) f(__VA_ARGS__)
#define NESTED(x) TWICE(CALL(load1, x))
#define load(in, i) load((in), (i))
#define STRING(x) #x

__global__ void places(int *out, Source in) {
  enum { kSize = sizeof(load1(in)) };
  int sum0 = kSize - 4;                                            // 0
  switch (load(in, 1)) {                                           // one load of in[1]
  case 1: sum0 += PASTED(1, in);                                   // 1
  }
  if (const Pair p = pair(in); is(p.b)) sum0 += p.a + p.b;         // 1
  auto [a, b] = pair(in);                                          // 1
  sum0 += a + b;
  for (int number : range(in)) sum0 += number;                     // 1
  for (int i = load(in, 0); i < load(in, 1); i += load(in, 1)) ++sum0; // 1
  while (!is(load(in, 1))) {
  }
  do { ++sum0; } while (is(load(in, 0)));                          // 1
  sum0 += TWICE(load(in, 1)) + LARGER(load(in, 0), load(in, 1));   // 3
  sum0 += NESTED(in) + CALL(load1, in) + ALIAS(in, 1);             // 2 + 1 + 1
  assert(load(in, 1) == 1);
  asm volatile("add.s32 %0, %0, %1;" : "+r"(sum0) : "r"(load1(in))); // 1
  sum0 += ({ const int inner = load1(in); inner; });               // 1
  const auto self = [&](auto &&again, int n) -> int { return n ? again(again, n - 1) : load1(in); };
  sum0 += self(self, 2) + sum<3>(in) + counted(in, 2);             // 1 + 2 + 2
  sum0 += is(load1(in)); // 1
  out[0] = sum0;
}
#undef load
__global__ void braces(int *out, Pair pair, const char * = STRING((load(x)))) { out[1] = pair.a + pair.b; }
__global__ void nothing(
) {}

int main() {
  Device<int> in(std::vector<int>{0, 1}), out(2);
  (places)<<<1, 1>>>(out, static_cast<int *>(in));
  (*&braces)<<<1, 1>>>(out, {1, 2}, nullptr);
  nothing<<<1, 1>>>(/* nothing */);
  nothing<<<1, 1>>>(
  );
  if (false) braces<<<1, 1>>>(out, Pair());
  ({ nothing<<<1, 1>>>(); });
  Verdict verdict("call_places");
  verdict.equal("out", out.read(), {21, 3});
  return verdict.finish();
}

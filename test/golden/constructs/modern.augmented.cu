#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "modern.cu"
/// What C++20 adds: abbreviated templates, concepts, requirements, consteval, spaceship, template lambdas, designated
/// initialisers, literals as template arguments.
#include "verdict.h"
#include <concepts>

__device__ int load(const cupr::Trace &cupr_trace, const volatile auto *in, std::integral auto i) { return int(in[i]); }
template <class T>
concept Readable = requires(const T &t, int i) {
  { t.at(i) } -> std::same_as<int>;
};
struct Plain {
  const volatile int *in;
  __device__ int at(int i) const { return load(cupr::current(), in, i); }
  __device__ auto operator<=>(const Plain &) const = default;
};
struct Times {
  Plain plain;
  int by = 2;
  __device__ int at(int i) const { return by * plain.at(i); }
  __device__ int operator()(int i, int j) const { return at(i) + at(j); }
};
template <Readable R> __device__ int twice(const cupr::Trace &cupr_trace, const R &from, int i) requires(sizeof(R) <= 16) {
  if constexpr (requires { from.by; })
    return from.at(i) * from.by;
  else
    return from.at(i) + from.at(i);
}
template <class T> __device__ int maybe(const cupr::Trace &cupr_trace, T) { return 0; }
template <Readable T> __device__ int maybe(const cupr::Trace &cupr_trace, T from) { return from.at(int(threadIdx.x)); }
consteval int three() { return 3; }
template <int N> struct Text {
  char letters[N];
  consteval Text(const char (&text)[N]) {
    for (int i = 0; i < N; ++i)
      letters[i] = text[i];
  }
};
template <Text T> __device__ int length(const cupr::Trace &cupr_trace) { return int(sizeof(T.letters)) - 1; }

__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const volatile int *in, Times times) {
  const int i = int(threadIdx.x);
  const Plain plain{.in = in};
  const auto generic = []<class T>(const volatile T *from, auto... at) { return (load(cupr::current(), from, at) + ... + 0); };
  int sum = twice(cupr_trace, plain, i) + twice(cupr_trace, times, i) + maybe(cupr_trace, plain) + maybe(cupr_trace, 1) + generic(in, i, i) + times(i, i);
  for (int k = 0; const int more : {three(), 2, length<"four">(cupr_trace)})
    sum += more + k++;
  out[i] = sum;
}
template <class... T> __global__ void sum(const __grid_constant__ cupr::Trace cupr_trace, int *out, T... values) { out[threadIdx.x] = (values + ... + 0); }

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(64);
  const volatile int *const from = static_cast<const int *>(in);
  kernel<<<1, 32>>>(cupr_launch(0), out, from, {.plain = {from}});
  [at = static_cast<int *>(out)]<class... T>(T... values) { sum<<<1, 32>>>(cupr_launch(1), at + 32, values...); }(1, 2, 3);
  Verdict verdict("modern");
  verdict.equal("out", out.read(), generate<int>(64, [](std::size_t i) { return int(i < 32 ? 13 * i + 12 : 6); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "modern.cu", "6:21+31 13:48+17 22:44+31 28:41+31 29:44+31 38:41+29 40:24+48 43:87+17 44:19+12 44:37+12 44:55+12 44:70+12 45:64+10 49:43+48 54:21+16 55:76+16")
#endif

/// What C++20 adds: abbreviated templates, concepts, requirements, consteval, spaceship, template lambdas, designated
/// initialisers, literals as template arguments.
#include "verdict.h"
#include <concepts>

__device__ int load(const volatile auto *in, std::integral auto i) { return int(in[i]); }
template <class T>
concept Readable = requires(const T &t, int i) {
  { t.at(i) } -> std::same_as<int>;
};
struct Plain {
  const volatile int *in;
  __device__ int at(int i) const { return load(in, i); }
  __device__ auto operator<=>(const Plain &) const = default;
};
struct Times {
  Plain plain;
  int by = 2;
  __device__ int at(int i) const { return by * plain.at(i); }
  __device__ int operator()(int i, int j) const { return at(i) + at(j); }
};
template <Readable R> __device__ int twice(const R &from, int i) requires(sizeof(R) <= 16) {
  if constexpr (requires { from.by; })
    return from.at(i) * from.by;
  else
    return from.at(i) + from.at(i);
}
template <class T> __device__ int maybe(T) { return 0; }
template <Readable T> __device__ int maybe(T from) { return from.at(int(threadIdx.x)); }
consteval int three() { return 3; }
template <int N> struct Text {
  char letters[N];
  consteval Text(const char (&text)[N]) {
    for (int i = 0; i < N; ++i)
      letters[i] = text[i];
  }
};
template <Text T> __device__ int length() { return int(sizeof(T.letters)) - 1; }

__global__ void kernel(int *out, const volatile int *in, Times times) {
  const int i = int(threadIdx.x);
  const Plain plain{.in = in};
  const auto generic = []<class T>(const volatile T *from, auto... at) { return (load(from, at) + ... + 0); };
  int sum = twice(plain, i) + twice(times, i) + maybe(plain) + maybe(1) + generic(in, i, i) + times(i, i);
  for (int k = 0; const int more : {three(), 2, length<"four">()})
    sum += more + k++;
  out[i] = sum;
}
template <class... T> __global__ void sum(int *out, T... values) { out[threadIdx.x] = (values + ... + 0); }

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(64);
  const volatile int *const from = static_cast<const int *>(in);
  kernel<<<1, 32>>>(out, from, {.plain = {from}});
  [at = static_cast<int *>(out)]<class... T>(T... values) { sum<<<1, 32>>>(at + 32, values...); }(1, 2, 3);
  Verdict verdict("modern");
  verdict.equal("out", out.read(), generate<int>(64, [](std::size_t i) { return int(i < 32 ? 13 * i + 12 : 6); }));
  return verdict.finish();
}

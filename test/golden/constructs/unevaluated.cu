/// Calls that are never made: in decltype, sizeof, alignof, noexcept, static_assert, array sizes, requirements.
#include "verdict.h"
#include <type_traits>
#include <utility>

__device__ int load(const int *in) noexcept { return in[threadIdx.x]; }
__device__ double load(const double *in) { return in[threadIdx.x]; }
using Loaded = decltype(load(static_cast<const double *>(nullptr)));
static_assert(std::is_same<Loaded, double>::value && sizeof(load((const int *)nullptr)) == 4, "");
template <class T> using LoadedBy = decltype(load(std::declval<const T *>()));
static_assert(std::is_same<LoadedBy<int>, int>::value && alignof(LoadedBy<double>) == alignof(double), "");

struct Box {
  const int *in;
  __device__ int get() const noexcept(noexcept(load(in))) { return load(in); }
  __device__ auto same() const -> decltype(get()) { return get(); }
  int room[sizeof(load(static_cast<const int *>(nullptr)))];
};
template <class T, class = decltype(load(std::declval<T>()))> __device__ int found(T in) { return int(load(in)); }
__device__ int found(...) { return -1; }
template <class T> __device__ auto checked(T in) -> typename std::enable_if<noexcept(load(in)), decltype(load(in))>::type {
  return load(in);
}
template <int N> __device__ int constant() { return N; }

__global__ void kernel(int *out, const int *in) {
  decltype(load(in)) sum = 0;
  char sized[sizeof(load(in)) + sizeof(Box{in}.get())];
  static_assert(noexcept(load(in)) && !noexcept(load(static_cast<const double *>(nullptr))), "");
  static_assert(sizeof(sized) == 8 && sizeof(Loaded) == 8, "");
  typedef decltype(Box{in}.same()) Same;
  const Same boxed = Box{in}.same();
  sum += constant<sizeof(load(in))>() + boxed + checked(in) + found(in) + found("nothing");
  out[threadIdx.x] = sum;
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  kernel<<<1, sizeof(Loaded) * 4>>>(out, in);
  const Loaded last = 3;
  Verdict verdict("unevaluated");
  verdict.equal("out", out.read(), generate<int>(32, [=](std::size_t i) { return 3 * int(i) + int(last); }));
  return verdict.finish();
}

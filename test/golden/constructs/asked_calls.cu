/// Calls that the compiler only tries: in concepts, in decltype of template parameters, results and specialisations.
/// The answers must stay what they were, and what is chosen by them.
#include "verdict.h"
#include <type_traits>
#include <utility>

template <class T, class = void> struct HasGet : std::false_type {};
template <class T> struct HasGet<T, decltype(void(std::declval<const T &>().get(0)))> : std::true_type {};

struct Getter {
  const volatile int *in;
  __device__ int get(int i) const { return in[i]; }
};
struct Other {
  const volatile int *in;
  __device__ int other(int i) const { return in[i] + 1000; }
};
static_assert(HasGet<Getter>::value && !HasGet<Other>::value, "");

template <class T> __device__ typename std::enable_if<HasGet<T>::value, int>::type byTrait(const T &from, int i) { return from.get(i); }
template <class T> __device__ typename std::enable_if<!HasGet<T>::value, int>::type byTrait(const T &from, int i) { return from.other(i); }

template <class T> __device__ auto byResult(const T &from, int i, int) -> decltype(from.other(i)) { return from.other(i); }
template <class T> __device__ int byResult(const T &from, int i, long) { return from.get(i) + 100; }

template <class T, class = decltype(std::declval<const T &>().get(0))> __device__ int byParameter(const T &, int) { return 1; }
template <class T> __device__ int byParameter(const T &, ...) { return 2; }

__device__ int freely(const volatile int *in, int i) { return in[i]; }
template <class T> __device__ auto byName(const T &from, int i) -> decltype(freely(from.in, i)) { return freely(from.in, i); }

__global__ void kernel(int *out, const volatile int *in) {
  const int i = int(threadIdx.x);
  const Getter getter{in};
  const Other other{in};
  out[i] = byTrait(getter, i) + byTrait(other, i) + byResult(getter, i, 0) + byResult(other, i, 0) + byName(getter, i);
  out[i + 32] = 10 * byParameter(getter, 0) + byParameter(other, 0);
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(64);
  kernel<<<1, 32>>>(out, static_cast<const int *>(in));
  Verdict verdict("asked_calls");
  verdict.equal("out", out.read(), generate<int>(64, [](std::size_t i) { return int(i < 32 ? 5 * i + 2100 : 12); }));
  return verdict.finish();
}

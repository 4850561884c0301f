/// Template kernels: arguments given and deduced, specialised, instantiated, with packs and defaults; launched from
/// templates too.
#include "verdict.h"

template <class T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
template <> __global__ void fill<double>(double *out, double value) { out[threadIdx.x] = -value; }
template <class T, int N = 2> __global__ void scale(T *out, const T *in, T by = T(N)) { out[threadIdx.x] = in[threadIdx.x] * by; }
template <int... N> __global__ void sumOf(int *out) { out[threadIdx.x] = (0 + ... + N); }
template <class... T> __global__ void sizes(int *out, T...) { out[threadIdx.x] = int(sizeof...(T)); }
template <template <class> class Make> __global__ void made(int *out) { out[threadIdx.x] = Make<int>()(threadIdx.x); }
template <bool Value> __global__ void constant(int *out) { out[threadIdx.x] = int(Value); }
template __global__ void fill<float>(float *, float);
extern template __global__ void fill<short>(short *, short);
template __global__ void scale<int, 3>(int *, const int *, int);

template <class T> struct Twice {
  __device__ T operator()(T value) const { return 2 * value; }
};

template <class T> void launchAll(T *out) {
  scale<T, 5><<<1, 32>>>(out, out);
  sizes<<<1, 32>>>(out + 32);
  sizes<<<1, 32>>>(out + 64, out, 1, 2.0);
}
template <class T, class... Rest> void launchEach(T *out, Rest... rest) {
  (fill<<<1, 32>>>(out, rest), ...);
  [=](auto *place) { fill<T><<<1, 32>>>(place, T(8)); }(out + 32);
}

int main() {
  Device<int> out(9 * 32);
  Device<double> reals(32);
  int *at = out;
  fill<<<1, 32>>>(at, 1);
  fill<int><<<1, 32>>>(at + 32, 2);
  fill<double><<<1, 32>>>(reals, 3);
  scale<<<1, 32>>>(at + 64, static_cast<const int *>(at));
  scale<int, 3><<<1, 32>>>(at + 96, at);
  scale<int><<<1, 32>>>(at + 128, at, 4);
  sumOf<1, 2, 3><<<1, 32>>>(at + 160);
  made<Twice><<<1, 32>>>(at);
  constant<(3 > 2)><<<1, 32>>>(at + 32);
  launchAll(at + 192);
  launchEach(at + 192, 5, 6);
  Verdict verdict("template_kernels");
  static const int kWanted[] = {0, 1, 2, 3, 4, 6, 6, 8, 3};
  verdict.equal("out", out.read(), generate<int>(9 * 32, [](std::size_t i) { return i < 32 ? 2 * int(i) : kWanted[i / 32]; }));
  verdict.equal("reals", reals.read(), std::vector<double>(32, -3));
  return verdict.finish();
}

/// Lambdas on the device: in kernels, generic, handed to functions and to kernels, extended, as default arguments,
/// with launches in lambdas of the host.
#include "verdict.h"

__device__ int load(const volatile int *in, int i) { return in[i]; }
template <class F> __device__ int applied(F f, int i) { return f(i); }
template <class F> __device__ __noinline__ int twice(const F &f, int i) { return applied(f, i) + f(i); }
template <class F> __global__ void forEach(int *out, F f) { out[threadIdx.x] = f(int(threadIdx.x)); }
__device__ int byDefault(const int *in, int i, int (*f)(int) = [](int i) { return i + 1; }) { return load(in, f(i) - 1); }

__global__ void inKernel(int *out, const int *in) {
  const int i = threadIdx.x;
  const auto get = [=](int k) { return load(in, k); };
  const auto generic = [&](auto k, auto... more) { return get(int(k)) + int(sizeof...(more)); };
  const auto nested = [&] { return [&](int k) { return load(in, k) + get(k); }; };
  const int now = [&] { return load(in, i); }();
  const auto kept = [value = load(in, i)]() mutable { return value++; };
  auto copy = kept;
  out[i] = twice(get, i) + generic(i) + generic(short(i), 1, 2) + nested()(i) + now + copy() + byDefault(in, i);
}

struct Scale {
  int by;
  __device__ int operator()(int i) const { return i * by; }
};

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(5 * 32);
  const int *from = in;
  int *at = out;
  const int add = 7;
  inKernel<<<1, 32>>>(at, from);
  forEach<<<1, 32>>>(at + 32, [=] __device__(int i) { return load(from, i) + add; });
  const auto named = [from] __device__(int i) -> int { return twice([=](int k) { return load(from, k); }, i); };
  forEach<<<1, 32>>>(at + 64, named);
  const auto launch = [&](auto f) { forEach<<<1, 32>>>(at + 96, f); };
  launch(Scale{4});
  const auto either = [=] __host__ __device__(int i) { return 5 * i; };
  forEach<<<1, 32>>>(at + 128, either);
  Verdict verdict("lambdas");
  static const int kFactor[] = {9, 1, 2, 4, 5};
  verdict.equal("out", out.read(), generate<int>(5 * 32, [&](std::size_t i) {
                  return kFactor[i / 32] * int(i % 32) + (i / 32 == 0 ? 2 : i / 32 == 1 ? add : 0) + either(0);
                }));
  return verdict.finish();
}

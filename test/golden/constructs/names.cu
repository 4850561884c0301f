/// Names: namespaces, using declarations and directives, aliases, overloads, argument-dependent lookup, local
/// declarations, a kernel and a function of one name.
#include "verdict.h"

namespace a {
struct Item {
  const volatile int *in;
};
__device__ int get(const Item &item) { return item.in[threadIdx.x]; }
__global__ void kernel(int *out, Item item) { out[threadIdx.x] = get(item); }
inline namespace v1 {
namespace deep::er {
__device__ int get(const volatile int *in) { return in[threadIdx.x]; }
__global__ void kernel(int *out, const int *in) { out[threadIdx.x] = get(in) + 1; }
} // namespace deep::er
} // namespace v1
} // namespace a
namespace alias = a::deep::er;
namespace b {
using a::get;
using namespace a::v1::deep;
__global__ void kernel(int *out, a::Item item) { out[threadIdx.x] = b::get(item) + er::get(item.in) + ::a::get(item); }
} // namespace b
__device__ int overloaded(const volatile int *in, int) { return in[threadIdx.x]; }
__device__ int overloaded(const volatile int *in, long) { return -in[threadIdx.x]; }
__device__ int overloaded(const volatile float *in, ...) { return int(in[threadIdx.x]); }
template <class T> __device__ int overloaded(const volatile T *in) { return int(in[threadIdx.x]) + 100; }
__global__ void overloads(int *out, const int *in) {
  out[threadIdx.x] = overloaded(in, 1) + overloaded(in);
}
__global__ void overloads(int *out, const float *in) { out[threadIdx.x] = overloaded(in, 1L) + overloaded(in); }
__global__ void lookedUp(int *out, a::Item item) {
  extern __device__ int overloaded(const volatile int *, int);
  int get(0);
  out[threadIdx.x] = overloaded(item.in, get);
}
__device__ int load(const int *in) { return *in; }
__global__ void shadows(int *out, const int *trace) {
  struct Launch {
    __device__ int current(const int *at) { return load(at + threadIdx.x); }
  };
  out[threadIdx.x] = Launch().current(trace);
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(7 * 32);
  Device<float> reals(generate<float>(32, [](std::size_t i) { return float(i); }));
  int *at = out;
  const int *from = in;
  const a::Item item{from};
  a::kernel<<<1, 32>>>(at, item);
  alias::kernel<<<1, 32>>>(at + 32, from);
  b::kernel<<<1, 32>>>(at + 64, item);
  overloads<<<1, 32>>>(at + 96, from);
  overloads<<<1, 32>>>(at + 128, static_cast<const float *>(reals));
  {
    using namespace a::deep::er;
    ::lookedUp<<<1, 32>>>(at + 160, item);
  }
  shadows<<<1, 32>>>(at + 192, from);
  Verdict verdict("names");
  static const int kFactor[] = {1, 1, 3, 2, 2, 1, 1}, kAdd[] = {0, 1, 0, 100, 0, 0, 0};
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return kFactor[i / 32] * int(i % 32) + kAdd[i / 32]; }));
  return verdict.finish();
}

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "names.cu"
/// Names: namespaces, using declarations and directives, aliases, overloads, argument-dependent lookup, local
/// declarations, a kernel and a function of one name.
#include "verdict.h"

namespace a {
struct Item {
  const volatile int *in;
};
__device__ int get(const cupr::Trace &cupr_trace, const Item &item) { return item.in[threadIdx.x]; }
__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, Item item) { out[threadIdx.x] = get(cupr_trace, item); }
inline namespace v1 {
namespace deep::er {
__device__ int get(const cupr::Trace &cupr_trace, const volatile int *in) { return in[threadIdx.x]; }
__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) { out[threadIdx.x] = get(cupr_trace, in) + 1; }
} // namespace deep::er
} // namespace v1
} // namespace a
namespace alias = a::deep::er;
namespace b {
using a::get;
using namespace a::v1::deep;
__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, a::Item item) { out[threadIdx.x] = b::get(cupr_trace, item) + er::get(cupr_trace, item.in) + ::a::get(cupr_trace, item); }
} // namespace b
__device__ int overloaded(const cupr::Trace &cupr_trace, const volatile int *in, int) { return in[threadIdx.x]; }
__device__ int overloaded(const cupr::Trace &cupr_trace, const volatile int *in, long) { return -in[threadIdx.x]; }
__device__ int overloaded(const cupr::Trace &cupr_trace, const volatile float *in, ...) { return int(in[threadIdx.x]); }
template <class T> __device__ int overloaded(const cupr::Trace &cupr_trace, const volatile T *in) { return int(in[threadIdx.x]) + 100; }
__global__ void overloads(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  out[threadIdx.x] = overloaded(cupr_trace, in, 1) + overloaded(cupr_trace, in);
}
__global__ void overloads(const __grid_constant__ cupr::Trace cupr_trace, int *out, const float *in) { out[threadIdx.x] = overloaded(cupr_trace, in, 1L) + overloaded(cupr_trace, in); }
__global__ void lookedUp(const __grid_constant__ cupr::Trace cupr_trace, int *out, a::Item item) {
  extern __device__ int overloaded(const cupr::Trace &cupr_trace, const volatile int *, int);
  int get(0);
  out[threadIdx.x] = overloaded(cupr_trace, item.in, get);
}
__device__ int load(const cupr::Trace &cupr_trace, const int *in) { return *in; }
__global__ void shadows(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *trace) {
  struct Launch {
    __device__ int current(const cupr::Trace &cupr_trace, const int *at) { return load(cupr_trace, at + threadIdx.x); }
  };
  out[threadIdx.x] = Launch().current(cupr_trace, trace);
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(7 * 32);
  Device<float> reals(generate<float>(32, [](std::size_t i) { return float(i); }));
  int *at = out;
  const int *from = in;
  const a::Item item{from};
  a::kernel<<<1, 32>>>(cupr_launch(0), at, item);
  alias::kernel<<<1, 32>>>(cupr_launch(1), at + 32, from);
  b::kernel<<<1, 32>>>(cupr_launch(2), at + 64, item);
  overloads<<<1, 32>>>(cupr_launch(3), at + 96, from);
  overloads<<<1, 32>>>(cupr_launch(4), at + 128, static_cast<const float *>(reals));
  {
    using namespace a::deep::er;
    ::lookedUp<<<1, 32>>>(cupr_launch(5), at + 160, item);
  }
  shadows<<<1, 32>>>(cupr_launch(6), at + 192, from);
  Verdict verdict("names");
  static const int kFactor[] = {1, 1, 3, 2, 2, 1, 1}, kAdd[] = {0, 1, 0, 100, 0, 0, 0};
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return kFactor[i / 32] * int(i % 32) + kAdd[i / 32]; }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "names.cu", "9:20+31 10:24+48 10:70+12 13:20+31 14:24+48 14:74+12 22:24+48 22:76+12 22:92+12 22:112+12 24:27+31 25:27+31 26:27+31 27:46+31 28:27+48 29:33+12 29:53+12 31:27+48 31:86+12 31:107+12 32:26+48 33:36+31 35:33+12 37:21+31 38:25+48 40:28+31 40:57+12 42:39+12 51:24+16 52:28+16 53:24+16 54:24+16 55:24+16 58:27+16 60:22+16")
#endif

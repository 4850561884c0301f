#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "kernel_attributes.cu"
/// Kernels with attributes and storage of all kinds.
#include "verdict.h"
#pragma GCC diagnostic ignored "-Wcuda-compat"

__global__ void __launch_bounds__(64) behind(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 0; }
__launch_bounds__(64, 2) __global__ void before(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 1; }
__global__ __launch_bounds__(32 + 32, 1) static void between(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 2; }
__global__ void __attribute__((noinline)) registers(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 3; }
extern "C" __global__ void plainName(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 4; }
static __global__ void ofFile(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 5; }
inline __global__ void isInline(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 6; }
namespace {
__global__ void unnamed(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 7; }
} // namespace
void __global__ __attribute__((visibility("default"))) visible(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 8; }
[[maybe_unused]] __global__ void standard(const __grid_constant__ cupr::Trace cupr_trace, int *__restrict__ out, const __grid_constant__ int value) { out[threadIdx.x] = value; }
__global__ void __cluster_dims__(2, 1, 1) clustered(const __grid_constant__ cupr::Trace cupr_trace, int *out) {
  out[blockIdx.x * 32 + threadIdx.x] = 10 + int(blockIdx.x);
}
__global__ [[deprecated]] void old(const __grid_constant__ cupr::Trace cupr_trace, int *out);
__global__ void old(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 12; }
template <int N> __global__ __launch_bounds__(N) void sized(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = 13; }

int main() {
  Device<int> out(14 * 32);
  int *at = out;
  behind<<<1, 32>>>(cupr_launch(0), at);
  before<<<1, 32>>>(cupr_launch(1), at + 32);
  between<<<1, 32>>>(cupr_launch(2), at + 64);
  registers<<<1, 32>>>(cupr_launch(3), at + 96);
  plainName<<<1, 32>>>(cupr_launch(4), at + 128);
  ofFile<<<1, 32>>>(cupr_launch(5), at + 160);
  isInline<<<1, 32>>>(cupr_launch(6), at + 192);
  unnamed<<<1, 32>>>(cupr_launch(7), at + 224);
  visible<<<1, 32>>>(cupr_launch(8), at + 256);
  standard<<<1, 32>>>(cupr_launch(9), at + 288, 9);
  clustered<<<2, 32>>>(cupr_launch(10), at + 320);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  old<<<1, 32>>>(cupr_launch(11), at + 384);
  sized<64><<<1, 32>>>(cupr_launch(12), at + 416);
  MUST(cudaDeviceSynchronize());
  Verdict verdict("kernel_attributes");
  verdict.equal("out", out.read(), generate<int>(14 * 32, [](std::size_t i) { return int(i / 32); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "kernel_attributes.cu", "5:46+48 6:49+48 7:62+48 8:53+48 9:38+48 10:31+48 11:33+48 13:25+48 15:64+48 16:43+48 17:53+48 20:36+48 21:21+48 22:61+48 27:21+16 28:21+16 29:22+16 30:24+16 31:24+16 32:21+16 33:23+16 34:22+16 35:22+16 36:23+16 37:24+17 39:18+17 40:24+17")
#endif

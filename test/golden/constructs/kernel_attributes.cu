/// Kernels with attributes and storage of all kinds.
#include "verdict.h"
#pragma GCC diagnostic ignored "-Wcuda-compat"

__global__ void __launch_bounds__(64) behind(int *out) { out[threadIdx.x] = 0; }
__launch_bounds__(64, 2) __global__ void before(int *out) { out[threadIdx.x] = 1; }
__global__ __launch_bounds__(32 + 32, 1) static void between(int *out) { out[threadIdx.x] = 2; }
__global__ void __attribute__((noinline)) registers(int *out) { out[threadIdx.x] = 3; }
extern "C" __global__ void plainName(int *out) { out[threadIdx.x] = 4; }
static __global__ void ofFile(int *out) { out[threadIdx.x] = 5; }
inline __global__ void isInline(int *out) { out[threadIdx.x] = 6; }
namespace {
__global__ void unnamed(int *out) { out[threadIdx.x] = 7; }
} // namespace
void __global__ __attribute__((visibility("default"))) visible(int *out) { out[threadIdx.x] = 8; }
[[maybe_unused]] __global__ void standard(int *__restrict__ out, const __grid_constant__ int value) { out[threadIdx.x] = value; }
__global__ void __cluster_dims__(2, 1, 1) clustered(int *out) {
  out[blockIdx.x * 32 + threadIdx.x] = 10 + int(blockIdx.x);
}
__global__ [[deprecated]] void old(int *out);
__global__ void old(int *out) { out[threadIdx.x] = 12; }
template <int N> __global__ __launch_bounds__(N) void sized(int *out) { out[threadIdx.x] = 13; }

int main() {
  Device<int> out(14 * 32);
  int *at = out;
  behind<<<1, 32>>>(at);
  before<<<1, 32>>>(at + 32);
  between<<<1, 32>>>(at + 64);
  registers<<<1, 32>>>(at + 96);
  plainName<<<1, 32>>>(at + 128);
  ofFile<<<1, 32>>>(at + 160);
  isInline<<<1, 32>>>(at + 192);
  unnamed<<<1, 32>>>(at + 224);
  visible<<<1, 32>>>(at + 256);
  standard<<<1, 32>>>(at + 288, 9);
  clustered<<<2, 32>>>(at + 320);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  old<<<1, 32>>>(at + 384);
  sized<64><<<1, 32>>>(at + 416);
  MUST(cudaDeviceSynchronize());
  Verdict verdict("kernel_attributes");
  verdict.equal("out", out.read(), generate<int>(14 * 32, [](std::size_t i) { return int(i / 32); }));
  return verdict.finish();
}

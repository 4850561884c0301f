#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "parameter_limit.cu"
/// Kernels with as many bytes of parameters as there can be: 4 KiB, and 32,764 bytes, which leave no room for the trace
/// argument.
#include "verdict.h"

template <int kBytes> struct Block {
  int words[kBytes / 4];
};
__global__ void small(const __grid_constant__ cupr::Trace cupr_trace, int *out, Block<4096 - 8> block) { out[threadIdx.x] = block.words[threadIdx.x * 31]; }
__global__ void nearly(const __grid_constant__ cupr::Trace cupr_trace, int *out, const __grid_constant__ Block<32764 - 8 - 256> block) { out[threadIdx.x] = block.words[threadIdx.x * 200]; }
__global__ void full(int *out, const __grid_constant__ Block<32764 - 8> block) { out[threadIdx.x] = block.words[threadIdx.x * 256]; }
template <class T> __global__ void any(int *out, const __grid_constant__ T block) { out[threadIdx.x] = block.words[threadIdx.x]; }

template <int kBytes> static Block<kBytes> *filled() {
  static Block<kBytes> block;
  for (int i = 0; i < kBytes / 4; ++i)
    block.words[i] = i;
  return &block;
}

int main() {
  Device<int> out(5 * 32);
  int *at = out;
  small<<<1, 32>>>(cupr_launch(0), at, *filled<4096 - 8>());
  nearly<<<1, 32>>>(cupr_launch(1), at + 32, *filled<32764 - 8 - 256>());
  full<<<cupr_place(2)->*1, 32>>>(at + 64, *filled<32764 - 8>());
  any<<<cupr_place(3)->*1, 32>>>(at + 96, *filled<128>());
  any<<<cupr_place(4)->*1, 32>>>(at + 128, *filled<32764 - 8>());
  MUST(cudaDeviceSynchronize());
  Verdict verdict("parameter_limit");
  static const int kFactor[] = {31, 200, 256, 1, 1};
  verdict.equal("out", out.read(), generate<int>(5 * 32, [](std::size_t i) { return kFactor[i / 32] * int(i % 32); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "parameter_limit.cu", "8:23+48 9:24+48 23:20+16 24:21+16 25:10+16 26:9+16 27:9+16")
#endif

#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "api_launches.cu"
/// Launches by calls of the runtime: cudaLaunchKernel, cudaLaunchKernelEx and ExC with attributes, cooperative ones.
#include "verdict.h"
#include <cooperative_groups.h>

__global__ void put(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) { out[threadIdx.x] = value; }
template <class T> __global__ void putAny(const __grid_constant__ cupr::Trace cupr_trace, T *out, T value, int = 0) { out[threadIdx.x] = value; }
__global__ void nothing(const __grid_constant__ cupr::Trace cupr_trace) {}
__global__ void spread(const __grid_constant__ cupr::Trace cupr_trace, int *out) {
  out[blockIdx.x * 32 + threadIdx.x] = int(blockIdx.x);
  cooperative_groups::this_grid().sync();
  out[64 + blockIdx.x * 32 + threadIdx.x] = out[(1 - blockIdx.x) * 32 + threadIdx.x];
}
#define EX(config, kernel, ...) MUST(cudaLaunchKernelEx(config, kernel, cupr_launch(0), __VA_ARGS__))

int main() {
  Device<int> out(7 * 32), both(128);
  int *at = out, *place = at, value = 0;
  void *arguments[] = {&place, &value};
  MUST(cudaLaunchKernel(put,cupr_place(1)->* dim3(1), dim3(32), arguments, 0, nullptr));
  place = at + 32, value = 1;
  MUST(cudaLaunchKernel((const void *)&put,cupr_place(2)->* 1, 32, arguments));
  place = at + 64, value = 2;
  int unused = 0;
  void *more[] = {&place, &value, &unused};
  MUST(cudaLaunchKernel(reinterpret_cast<void *>(putAny<int>),cupr_place(3)->* dim3(1), dim3(32), more, 0, 0));

  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  MUST(cudaLaunchKernelEx(&config, put, cupr_launch(4), at + 96, 3));
  MUST(cudaLaunchKernelEx(&config, nothing, cupr_launch(5)));
  EX(&config, &putAny<int>, at + 128, 4, 0);
  place = at + 160, value = 5;
  MUST(cudaLaunchKernelExC(cupr_place(6)->*&config, (const void *)put, arguments));
  cudaLaunchAttribute attributes[1] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attributes;
  config.numAttrs = 1;
  MUST(cudaLaunchKernelEx(&config, putAny<int>, cupr_launch(7), at + 192, 6, 0));

  int *pair = both;
  void *last[] = {&pair};
  MUST(cudaLaunchCooperativeKernel(spread,cupr_place(8)->* dim3(2), dim3(32), last));
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  config.gridDim = 2;
  MUST(cudaLaunchKernelEx(&config, spread, cupr_launch(9), pair));
  Verdict verdict("api_launches");
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return int(i / 32); }));
  verdict.equal("both", both.read(), generate<int>(128, [](std::size_t i) { return int(i < 64 ? i / 32 : 1 - (i - 64) / 32); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "api_launches.cu", "5:21+48 6:43+48 7:25+46 8:24+48 13:71+16 19:29+16 21:44+16 25:63+16 30:39+16 31:43+16 34:28+16 40:47+16 44:43+16 48:42+16")
#endif

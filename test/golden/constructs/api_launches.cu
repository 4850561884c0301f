/// Launches by calls of the runtime: cudaLaunchKernel, cudaLaunchKernelEx and ExC with attributes, cooperative ones.
#include "verdict.h"
#include <cooperative_groups.h>

__global__ void put(int *out, int value) { out[threadIdx.x] = value; }
template <class T> __global__ void putAny(T *out, T value, int = 0) { out[threadIdx.x] = value; }
__global__ void nothing() {}
__global__ void spread(int *out) {
  out[blockIdx.x * 32 + threadIdx.x] = int(blockIdx.x);
  cooperative_groups::this_grid().sync();
  out[64 + blockIdx.x * 32 + threadIdx.x] = out[(1 - blockIdx.x) * 32 + threadIdx.x];
}
#define EX(config, kernel, ...) MUST(cudaLaunchKernelEx(config, kernel, __VA_ARGS__))

int main() {
  Device<int> out(7 * 32), both(128);
  int *at = out, *place = at, value = 0;
  void *arguments[] = {&place, &value};
  MUST(cudaLaunchKernel(put, dim3(1), dim3(32), arguments, 0, nullptr));
  place = at + 32, value = 1;
  MUST(cudaLaunchKernel((const void *)&put, 1, 32, arguments));
  place = at + 64, value = 2;
  int unused = 0;
  void *more[] = {&place, &value, &unused};
  MUST(cudaLaunchKernel(reinterpret_cast<void *>(putAny<int>), dim3(1), dim3(32), more, 0, 0));

  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  MUST(cudaLaunchKernelEx(&config, put, at + 96, 3));
  MUST(cudaLaunchKernelEx(&config, nothing));
  EX(&config, &putAny<int>, at + 128, 4, 0);
  place = at + 160, value = 5;
  MUST(cudaLaunchKernelExC(&config, (const void *)put, arguments));
  cudaLaunchAttribute attributes[1] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attributes;
  config.numAttrs = 1;
  MUST(cudaLaunchKernelEx(&config, putAny<int>, at + 192, 6, 0));

  int *pair = both;
  void *last[] = {&pair};
  MUST(cudaLaunchCooperativeKernel(spread, dim3(2), dim3(32), last));
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  config.gridDim = 2;
  MUST(cudaLaunchKernelEx(&config, spread, pair));
  Verdict verdict("api_launches");
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return int(i / 32); }));
  verdict.equal("both", both.read(), generate<int>(128, [](std::size_t i) { return int(i < 64 ? i / 32 : 1 - (i - 64) / 32); }));
  return verdict.finish();
}

/// Launches through the driver's API: of kernels of this program, which are traced, with each call that there
/// is, and of a kernel that the program loads itself, which is listed. Also through the runtime's other
/// handle. 2 blocks of 32.
#include "verdict.h"

#include <cuda.h>

__global__ void add(int *out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void nothing() {}

static const char kLoaded[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry loaded(.param .u64 out) {
  .reg .u64 %a;
  ld.param.u64 %a, [out];
  cvta.to.global.u64 %a, %a;
  st.global.u32 [%a], 77;
  ret;
})";

static void must(CUresult result, const char *call, int line) {
  must(result == CUDA_SUCCESS ? cudaSuccess : static_cast<cudaError_t>(result), call, line);
}

int main() {
  Device<int> out(std::vector<int>(64, 0));
  Verdict verdict("driver_launches");
  int *at = out;
  int value = 1;
  void *arguments[] = {&at, &value};
  cudaFunction_t function, empty;
  MUST(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(add)));
  MUST(cudaGetFuncBySymbol(&empty, reinterpret_cast<const void *>(nothing)));
  MUST(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  value = 10;
  CUlaunchConfig config = {};
  config.gridDimX = 2;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  MUST(cuLaunchKernelEx(&config, function, arguments, nullptr));
  value = 100;
  MUST(cuLaunchCooperativeKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments));
  MUST(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
  cudaKernel_t kernel;
  MUST(cudaGetKernel(&kernel, reinterpret_cast<const void *>(add)));
  value = 1000;
  MUST(cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(2), dim3(32), arguments, 0, nullptr));
  verdict.equal("own", out.read(), std::vector<int>(64, 1111));

  CUmodule module;
  CUfunction loaded;
  MUST(cuModuleLoadData(&module, kLoaded));
  MUST(cuModuleGetFunction(&loaded, module, "loaded"));
  MUST(cuLaunchKernel(loaded, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  std::vector<int> wanted(64, 1111);
  wanted[0] = 77;
  verdict.equal("loaded", out.read(), wanted);
  MUST(cuModuleUnload(module));
  return verdict.finish();
}

// Uses of a kernel's bare address compile as they are: the runtime adds the argument to launches through the API, which
// are only marked.
// RUN: %rewritten %s %t -std=c++17 | %filecheck %s

#include <cooperative_groups.h>
__global__ void k(int *p, int n) { cooperative_groups::this_grid().sync(); }
// CHECK: void k(const __grid_constant__ cupr::Trace cupr_trace, int *p, int n) { cooperative_groups::this_grid().sync(); }
template <class T> __global__ void typed(T *p, int n) {}
// CHECK: void typed(const __grid_constant__ cupr::Trace cupr_trace, T *p, int n) {}

template <class T> void host(T *p, int n, cudaStream_t stream) {
  void *arguments[] = {&p, &n};
  int blocks, least;
  cudaFuncAttributes attributes;
  cudaFuncSetAttribute(typed<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  cudaFuncSetCacheConfig(&typed<T>, cudaFuncCachePreferL1);
  cudaFuncGetAttributes(&attributes, typed<T>);
  cudaOccupancyMaxPotentialBlockSize(&least, &blocks, typed<T>, 0, 0);
  cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &blocks, typed<T>, [](int) { return 0; });
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (k), 32, 0);
  cudaLaunchKernel((void *)typed<T>, dim3(1), dim3(1), arguments, 0, stream);
  cudaLaunchKernel(reinterpret_cast<const void *>(&typed<T>), dim3(1), dim3(1), arguments, 0, stream);
  cudaLaunchKernel(typed<T>, dim3(1), dim3(1), arguments, 0, stream);
  cudaLaunchCooperativeKernel((void *)k, dim3(1), dim3(1), arguments, 0, stream);
  cudaLaunchConfig_t config = {};
  cudaLaunchKernelExC(&config, (void *)k, arguments);
  // CHECK: cudaLaunchKernelExC(cupr_place(4)->*&config, (void *)k, arguments);
  cudaLaunchKernelEx(&config, typed<T>, p, n);
  // CHECK: cudaLaunchKernelEx(&config, typed<T>, cupr_launch(5), p, n);
  cudaLaunchKernelEx(&config, &k, (int *)p, n);
  // CHECK: cudaLaunchKernelEx(&config, &k, cupr_launch(6), (int *)p, n);
  const void *bare = (const void *)k;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaKernelNodeParams parameters = {};
  parameters.func = (void *)typed<T>;
  // CHECK: parameters.func = (void *)typed<T>;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters);
}
template void host<int>(int *, int, cudaStream_t);
// CHECK: template void host<int>(int *, int, cudaStream_t);

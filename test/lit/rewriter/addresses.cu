// A kernel whose type matters keeps its signature; one whose bare address is used does not. Launches that keep
// their arguments are marked.
// RUN: %rewritten %s %t 2>&1 | %filecheck %s
// RUN: %cuprewrite -q --remarks -o %t.remarks --root %S %s 2>&1 | %filecheck %s --check-prefix=REMARK
// REMARK: addresses.cu:[[@LINE+17]]:10: remark: kernel 'typed' keeps its signature: its address is used with its type here
// REMARK: addresses.cu:[[@LINE+4]]:17: note: it is declared here
// Nothing is lost, so nobody is warned:
// CHECK-NOT: warning

__global__ void typed(int *p) {}
// CHECK: __global__ void typed(int *p) {}
template <class K, class... A> void launch(K kernel, A... a) { kernel<<<1, 1>>>(a...); }
// CHECK: { kernel<<<cupr_place(0)->*1, 1>>>(a...); }
template <void (*K)(int *)> void launchFixed(int *p) { K<<<1, 1>>>(p); }
static __global__ void fixed(int *p) {}
// CHECK: static __global__ void fixed(int *p) {}

__global__ void bare(int *p) {}
// CHECK: __global__ void bare(const __grid_constant__ cupr::Trace cupr_trace, int *p) {}

void host(int *p) {
  launch(typed, p);
  launchFixed<fixed>(p);
  typed<<<1, 1>>>(p);
  // CHECK: typed<<<cupr_place(2)->*1, 1>>>(p);
  cudaFuncSetAttribute(bare, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  // CHECK: cudaFuncSetAttribute(bare, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  int blocks;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bare, 32, 0);
  void *arguments[] = {&p};
  cudaLaunchKernel((const void *)bare, dim3(1), dim3(1), arguments, 0, 0);
  // CHECK: cudaLaunchKernel((const void *)bare, cupr_place(3)->*dim3(1), dim3(1), arguments, 0, 0);
  cudaLaunchCooperativeKernel(bare, {1, 2}, dim3(1), arguments);
  // CHECK: cudaLaunchCooperativeKernel(bare, {1, 2}, dim3(1), arguments);
  bare<<<1, 1>>>(p);
  // CHECK: bare<<<1, 1>>>(cupr_launch({{[0-9]}}), p);
}

// Kernels get the trace argument first; launches hand over a temporary.
// RUN: %rewritten %s %t | %filecheck %s

// CHECK: #include <cupr/cupr.h> // augmented by cuprewrite
// CHECK-NEXT: #line 1 "{{.*}}kernels.cu"

__global__ void early(int *p);
// CHECK: __global__ void early(const __grid_constant__ cupr::Trace cupr_trace, int *p);

__global__ void nothing() {}
// CHECK: void nothing(const __grid_constant__ cupr::Trace cupr_trace) {}

__global__ void old(void) {}
// CHECK: void old(const __grid_constant__ cupr::Trace cupr_trace /*void*/) {}

__global__ void defaults(int *p, int n = 3) {}
// CHECK: void defaults(const __grid_constant__ cupr::Trace cupr_trace, int *p, int n = 3) {}

extern "C" __global__ void __launch_bounds__(128) plain(int *p, float f) {}
// CHECK: void __launch_bounds__(128) plain(const __grid_constant__ cupr::Trace cupr_trace, int *p, float f) {}

namespace inner {
static __global__ void hidden(int
                                  *p) {}
// CHECK: static __global__ void hidden(const __grid_constant__ cupr::Trace cupr_trace, int
// CHECK-NEXT: *p) {}
} // namespace inner

void host(int *p, cudaStream_t stream) {
  nothing<<<1, 2>>>();
  // CHECK: nothing<<<1, 2>>>(cupr_launch(0));
  if (p)
    early<<<dim3(1, 2), 32, 0, stream>>>(p);
  // CHECK: early<<<dim3(1, 2), 32, 0, stream>>>(cupr_launch(1), p);
  else
    old<<<1, 1>>>();
  // CHECK: old<<<1, 1>>>(cupr_launch(2));
  defaults<<<1, 1>>>(p), plain<<<1, 1>>>(p, 1.f);
  // CHECK: defaults<<<1, 1>>>(cupr_launch(3), p), plain<<<1, 1>>>(cupr_launch(4), p, 1.f);
  inner::hidden<<<1, 1>>>(
      p);
  // CHECK: inner::hidden<<<1, 1>>>(cupr_launch(5),
  // CHECK-NEXT: p);
  cudaLaunchConfig_t config = {};
  cudaLaunchKernelEx(&config, defaults, p, 4);
  // CHECK: cudaLaunchKernelEx(&config, defaults, cupr_launch(6), p, 4);
  cudaLaunchKernelEx(&config, nothing);
  // CHECK: cudaLaunchKernelEx(&config, nothing, cupr_launch(7));
}

__global__ void early(int *p) { *p = 1; }
// CHECK: __global__ void early(const __grid_constant__ cupr::Trace cupr_trace, int *p) { *p = 1; }
// CHECK: CUPR_EDITS({{[0-9a-f]+}}, "{{.*}}kernels.cu", "{{[0-9:+ ]+}}")

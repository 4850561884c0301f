// A launch by a kernel hands the launching kernel's trace argument on, to fit the other's signature.
// RUN: %rewritten %s %t -fgpu-rdc 2>&1 | %filecheck %s
// CHECK: device_launch.cu:8:{{[0-9]+}}: warning: this launch of 'child' is left alone: kernels that kernels launch are not traced

__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) {
  if (*p)
    child<<<1, 1>>>(p);
  // CHECK: child<<<1, 1>>>(cupr_trace, p);
}

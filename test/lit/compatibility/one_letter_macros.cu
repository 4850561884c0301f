// Macros of one letter that nvcc's headers have no use for, and clang's prologue has: they are the program's, in its
// sources and in its build.
// RUN: %cuprxx --device=both -arch=sm_90 -Dk=1 -Dl=2 -Do=3 -Dq=4 -Dr=5 -DA=6 -DB=7 -DN=8 -DV=9 -DX=10 -DY=11 -DM=12 -o %t %s
// RUN: env CUPR_TRACE=off %t | %filecheck %s
// RUN: %cuprxx --device=cpu --no-trace '-DN(x)=(x+1)' -DFUNCTION -o %t %s && %t | %filecheck %s --check-prefix=FUNCTION
#include <cstdio>

__global__ void fill(int *out) {
#ifdef FUNCTION
  *out = N(4);
#else
  *out = k + l + o + q + r + A + B + N + V + X + Y + M;
#endif
}

int main() {
  int *out;
  cudaMallocManaged(&out, sizeof *out);
  fill<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  // CHECK: 78
  // FUNCTION: 5
  std::printf("%d\n", *out);
}

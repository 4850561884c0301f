// What nvcc can say of kernels and variables reaches the GPU's code, in a Makefile's own compilation.
// RUN: clang++-22 -x cuda --cuda-gpu-arch=sm_90 -O1 --cuda-device-only -S $(cuprewrite --cxxflags) %s -o - | %filecheck %s
// RUN: clang++-22 -x cuda --cuda-gpu-arch=sm_90 -O0 --cuda-host-only -S $(cuprewrite --cxxflags) %s -o - | %filecheck %s --check-prefix=HOST
// RUN: not %cuprxx --device=gpu -DBLOCK_SIZE -c -o %t.o %s 2>&1 | %filecheck %s --check-prefix=REFUSED

// CHECK: .visible .global .attribute(.managed) .align 4 .u32 counter = 3;
__managed__ int counter = 3;

// CHECK: .entry limited(
// CHECK: .maxnreg 40
extern "C" __global__ void __maxnreg__(40) limited(int *p) { *p = counter; }

template <int X, int Y> __global__ void __cluster_dims__(X, Y) clustered(int *p) { *p = X; }
// CHECK: .entry {{.*}}clustered
// CHECK: .reqnctapercluster 2, 4
template __global__ void clustered<2, 4>(int *);

#ifdef BLOCK_SIZE
// REFUSED: error: kernel {{.*}}sized{{.*}}: __block_size__
__global__ void __block_size__((128, 1, 1), (2, 1, 1)) sized(int *p) { *p = 1; }
#endif

// HOST: __cupr_managed_v{{[0-9]+}}
int main() { return counter; }

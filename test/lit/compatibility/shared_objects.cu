// Shared variables of classes with destructors, above all barriers, and arrays of classes with constructors: in
// functions and templates, through the rewriter as well as without it.
// RUN: %cuprxx --device=both -std=c++17 -arch=sm_80 -o %t %s && env CUPR_TRACE=off %t | %filecheck %s
// RUN: %cuprxx --device=cpu --no-trace -std=c++20 -O0 -o %t %s && %t | %filecheck %s
// RUN: not %cuprxx --device=cpu -DCONSTRUCTED -c -o %t.o %s 2>&1 | %filecheck %s --check-prefix=REFUSED
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

struct Closed {
  int value;
  __device__ ~Closed() { value = -1; } // nobody calls it
};
struct Counted {
  int value;
  __device__ Counted() : value(1) {} // nor this, for an array
};

__device__ int sum(int *shared) {
  __shared__ Barrier ends[2];
  if (threadIdx.x == 0) {
    init(&ends[0], blockDim.x);
    init(&ends[1], blockDim.x);
  }
  __syncthreads();
  ends[0].arrive_and_wait();
  int total = 0;
  for (unsigned i = 0; i < blockDim.x; ++i)
    total += shared[i];
  ends[1].arrive_and_wait();
  return total;
}

template <typename T> __global__ void kernel(const T *in, T *out) {
  __shared__ Barrier barrier;
  __shared__ T values[64];
  __shared__ Closed closed;
  __shared__ Counted counted[2];
  __shared__ T one;
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    closed.value = 1000;
    counted[1].value = 10000;
    one = 1;
  }
  block.sync();
  cuda::memcpy_async(block, values, in, sizeof values, barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = sum(values) + closed.value + counted[1].value + one;
}

extern __shared__ int dynamic[];
__global__ void outside(int *out) {
  dynamic[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = dynamic[threadIdx.x];
}

#ifdef CONSTRUCTED
__global__ void constructed(int *out) {
  // REFUSED: error: initialization is not supported for __shared__ variables
  __shared__ Counted counted;
  *out = counted.value;
}
#endif

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof *in);
  cudaMallocManaged(&out, 64 * sizeof *out);
  for (int i = 0; i < 64; ++i)
    in[i] = i;
  kernel<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  // CHECK: 13017 13017
  std::printf("%d %d\n", out[0], out[63]);
  outside<<<1, 64, 64 * sizeof(int)>>>(out);
  cudaDeviceSynchronize();
  // CHECK: 63
  std::printf("%d\n", out[63]);
}

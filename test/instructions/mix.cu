/// Kernels whose executed instructions follow by arithmetic (mix.py), of each class that is one instruction of the machine.
///
/// Operations with a rounding (`__fmaf_rn`) are the same at every level of optimisation; what a plain `a * b + c` becomes is not.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kBlocks = 3, kThreads = 96, kBytes = 3 * kThreads * sizeof(double);

/// Threads below 40 go round `count` times, thread t of the others t % 4 times.
__global__ void rounds(float *data, int count) {
  const int t = threadIdx.x;
  const int times = t < 40 ? count : t % 4;
  float sum = data[t];
  for (int i = 0; i < times; ++i)
    sum = __fmaf_rn(sum, 0.5f, 1.0f);
  data[t] = sum;
}

/// What is in front of the branch and behind it runs together; what is in it does not.
__global__ void sides(double *data) {
  double value = data[threadIdx.x];
  value = __dadd_rn(value, 1.0);
  if (threadIdx.x % 8 == 0)
    data[threadIdx.x] = __dmul_rn(value, 2.0);
  else
    data[kThreads + threadIdx.x] = __fma_rn(value, 3.0, 1.0);
  data[2 * kThreads + threadIdx.x] = __dadd_rn(value, -1.0);
}

__device__ __noinline__ float power(float x, int n) {
  float y = 1;
  for (int i = 0; i < n; ++i)
    y = __fmul_rn(y, x);
  return y;
}

/// `power` from two places: 5 rounds for each thread from one, 2 for each of the first 10 from the other.
__global__ void callers(float *data) {
  float sum = power(data[threadIdx.x], 5);
  if (threadIdx.x < 10)
    sum = __fadd_rn(sum, power(data[threadIdx.x], 2));
  data[threadIdx.x] = sum;
}

/// Accesses of each width, the same number by each thread. (A structure of four may be copied in pieces.)
__global__ void widths(unsigned char *bytes, short *shorts, int *words, double *doubles, const int4 *quads) {
  __shared__ float tile[kThreads];
  const int t = threadIdx.x;
  int x, y, z, w;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
               : "l"(quads + t)
               : "memory");
  tile[t] = static_cast<float>(x + y + z + w);
  __syncthreads();
  bytes[t] = static_cast<unsigned char>(shorts[t]);
  doubles[t] = words[t] + tile[kThreads - 1 - t];
  atomicAdd(&words[t % 2], 1);
}

/// Between the lanes of a warp, and of a block.
__global__ void lanes(int *data) {
  int value = data[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  const unsigned votes = __ballot_sync(0xffffffffu, value > 3);
  __syncthreads();
  data[threadIdx.x] = value + static_cast<int>(votes);
}

/// Pairs of half precision, conversions and what special units compute.
__global__ void numbers(__half2 *pairs, float *data) {
  const int t = threadIdx.x;
  pairs[t] = __hfma2(pairs[t], pairs[t], pairs[t]);
  data[t] = rsqrtf(data[t]);
}

/// A product of 16 x 8 x 16 by each warp.
__global__ void product(float *data) {
  float c[4];
  for (int i = 0; i < 4; ++i)
    c[i] = static_cast<float>(i);
  const unsigned a = 0x3c003c00, b = 0x40004000;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
               "{%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a), "r"(b));
  data[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

} // namespace

int main() {
  void *memory[5];
  for (void *&each : memory) {
    cudaMalloc(&each, kBytes);
    cudaMemset(each, 0, kBytes);
  }
  auto *floats = static_cast<float *>(memory[0]);
  auto *ints = static_cast<int *>(memory[1]);
  auto *doubles = static_cast<double *>(memory[2]);
  rounds<<<kBlocks, kThreads>>>(floats, 7);
  rounds<<<kBlocks, kThreads>>>(floats, 0);
  sides<<<kBlocks, kThreads>>>(doubles);
  callers<<<kBlocks, kThreads>>>(floats);
  widths<<<kBlocks, kThreads>>>(static_cast<unsigned char *>(memory[0]), static_cast<short *>(memory[1]),
                                ints, doubles, static_cast<const int4 *>(memory[4]));
  lanes<<<kBlocks, kThreads>>>(ints);
  numbers<<<kBlocks, kThreads>>>(static_cast<__half2 *>(memory[3]), floats);
  product<<<kBlocks, kThreads>>>(floats);
  const cudaError_t error = cudaDeviceSynchronize();
  std::puts(cudaGetErrorString(error));
  return error != cudaSuccess;
}

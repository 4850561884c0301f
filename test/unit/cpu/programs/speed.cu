// Figures: accesses per second, untraced and with records that are thrown away.
//   speed [repetitions]
#include "check.h"
#include "devicelib/abi/cpu_device.h"
#include "devicelib/abi/hooks.h"
#include "devicelib/abi/trace_argument.h"
#include <chrono>
#include <cstring>

using cupr::Trace;

extern "C" __device__ void CUPR_HOOK_SYMBOL(access)(const Trace *, unsigned, const void *, bool);

__global__ void saxpy(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void tracedSaxpy(const __grid_constant__ Trace trace, int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    CUPR_HOOK_SYMBOL(access)(&trace, 0, x + i, trace.launch != 0);
    CUPR_HOOK_SYMBOL(access)(&trace, 1, y + i, trace.launch != 0);
    const float v = a * x[i] + y[i];
    CUPR_HOOK_SYMBOL(access)(&trace, 2, y + i, trace.launch != 0);
    y[i] = v;
  }
}

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void tracedMatmul(const __grid_constant__ Trace trace, const float *a, const float *b, float *c,
                             int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    CUPR_HOOK_SYMBOL(access)(&trace, 0, a + row * n + k, trace.launch != 0);
    CUPR_HOOK_SYMBOL(access)(&trace, 1, b + k * n + column, trace.launch != 0);
    sum += a[row * n + k] * b[k * n + column];
  }
  CUPR_HOOK_SYMBOL(access)(&trace, 2, c + row * n + column, trace.launch != 0);
  c[row * n + column] = sum;
}

__global__ void barriers(int *p, int rounds) {
  for (int i = 0; i < rounds; ++i)
    __syncthreads();
  p[threadIdx.x] = rounds;
}

__global__ void shuffles(int *p, int rounds) {
  int v = threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    v += __shfl_xor_sync(0xffffffffu, v, 1);
  p[threadIdx.x] = v;
}

struct Sink : cupr::abi::RecordSink {
  void records(std::uint64_t, const void *, std::size_t) override {}
};

template <typename F> void measure(const char *name, double count, int repetitions, F run) {
  double best = 1e30;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = s < best ? s : best;
  }
  CUDA(cudaGetLastError());
  std::printf("%-24s %8.1f M/s\n", name, count / best / 1e6);
}

int main(int argc, char **argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 1;
  const int n = 1 << 20, m = 256;
  float *x, *y, *c;
  int *p;
  CUDA(cudaMalloc(&x, n * 4));
  CUDA(cudaMalloc(&y, n * 4));
  CUDA(cudaMalloc(&c, n * 4));
  CUDA(cudaMalloc(&p, 4096));
  Sink sink;
  Trace trace;
  std::memset(&trace, 0, sizeof trace);
  const double matmulAccesses = 2.0 * m * m * m + m * m;
  measure("saxpy", 3.0 * n, repetitions, [&] { saxpy<<<n / 256, 256>>>(n, 2, x, y); });
  measure("matmul", matmulAccesses, repetitions, [&] { matmul<<<dim3(16, 16), dim3(16, 16)>>>(x, y, c, m); });
  measure("saxpy, hooks off", 3.0 * n, repetitions,
          [&] { tracedSaxpy<<<n / 256, 256>>>(trace, n, 2, x, y); });
  measure("matmul, hooks off", matmulAccesses, repetitions,
          [&] { tracedMatmul<<<dim3(16, 16), dim3(16, 16)>>>(trace, x, y, c, m); });
  cuprCpuSetRecordSink(&sink);
  trace.launch = 1;
  measure("saxpy, records", 3.0 * n, repetitions, [&] { tracedSaxpy<<<n / 256, 256>>>(trace, n, 2, x, y); });
  measure("matmul, records", matmulAccesses, repetitions,
          [&] { tracedMatmul<<<dim3(16, 16), dim3(16, 16)>>>(trace, x, y, c, m); });
  cuprCpuSetRecordSink(nullptr);
  measure("barrier arrivals", 8.0 * 256 * 1000, repetitions, [&] { barriers<<<8, 256>>>(p, 1000); });
  measure("shuffles", 8.0 * 256 * 1000, repetitions, [&] { shuffles<<<8, 256>>>(p, 1000); });
  std::puts("ok");
}

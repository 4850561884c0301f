// Kernels that go wrong: the message names kernel and place, the error stays, and
// the process goes on.
#include "check.h"
#include <cassert>
#include <cstring>
#include <string>

__global__ void deadlock(int *p) {
  if (threadIdx.x < 32)
    asm volatile("barrier.sync 1, 64;");
  else
    asm volatile("barrier.sync 2, 64;");
  *p = 1;
}
__global__ void trap(int *p) {
  if (threadIdx.x == 5)
    __trap();
  *p = 1;
}
__global__ void fails(int *p) { assert(p == nullptr); }
__global__ void unknown(int *p) {
  asm volatile("wgmma.fence.sync.aligned;");
  *p = 1;
}
__global__ void tensorCopy(int *p) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::
          "r"(0),
      "l"(p), "r"(0), "r"(0)
      : "memory");
  *p = 1;
}
__global__ void stray(int *p, int *bad) {
  if (threadIdx.x == 7)
    p = bad;
  p[threadIdx.x] = 1;
}
__device__ __noinline__ int deep(int n) {
  volatile int place[64];
  place[n % 64] = n;
  return n == 0 ? 0 : deep(n - 1) + place[n % 64];
}
__global__ void overflow(int *p) { *p = deep(1 << 20); }
__global__ void divide(int *p, int zero) { p[2] = p[0] / zero + p[1] % zero; }
__global__ void fine(int *p) { p[threadIdx.x] = 7; }
__global__ void leaves(int *p) {
  if (threadIdx.x % 2)
    asm volatile("exit;");
  __syncthreads();
  atomicAdd(p, 1);
}

static int *p;

static void expect(const std::string &text, const char *part, cudaError_t error) {
  CHECK(text.find(part) != std::string::npos, "no '%s' in: %s", part, text.c_str());
  CHECK(cudaDeviceSynchronize() == error, "%s", cudaGetErrorName(cudaDeviceSynchronize()));
  CHECK(cudaGetLastError() == error && cudaGetLastError() == error, "the error is not sticky");
  CHECK(cudaMalloc(&p, 4096) == error, "the error does not reach other calls");
  CUDA(cudaDeviceReset());
  CUDA(cudaMalloc(&p, 4096));
}

int main(int, char **arguments) {
  keepStandardError(arguments);
  CUDA(cudaMalloc(&p, 4096));
  std::string text = said([] { deadlock<<<3, 64>>>(p); });
  CHECK(text.find("kernel deadlock(int*), block (0,0,0): deadlock") != std::string::npos, "%s", text.c_str());
  expect(text, "warp 1, lanes 0xffffffff wait at barrier 2", cudaErrorLaunchFailure);
  expect(said([] { trap<<<1, 64>>>(p); }), "thread (5,0,0)", cudaErrorIllegalInstruction);
  expect(said([] { fails<<<1, 1>>>(p); }), "failures.cu:20", cudaErrorAssert);
  expect(said([] { unknown<<<1, 32>>>(p); }), "wgmma.fence", cudaErrorLaunchFailure);
  expect(said([] { tensorCopy<<<1, 32>>>(p); }), "a copy by a tensor map that cuTensorMapEncodeTiled or",
         cudaErrorIllegalAddress);
  expect(said([] { stray<<<1, 64>>>(p, (int *)64); }), "thread (7,0,0): illegal access to address 0x5c",
         cudaErrorIllegalAddress);
  expect(said([] { overflow<<<1, 1>>>(p); }), "CUPR_CPU_STACK", cudaErrorIllegalAddress);
  divide<<<1, 1>>>(p, 0);
  CUDA(cudaDeviceSynchronize());
  fine<<<1, 64>>>(p);
  int values[64];
  CUDA(cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost));
  for (int v : values)
    CHECK(v == 7, "%d", v);
  CUDA(cudaMemset(p, 0, 4));
  leaves<<<2, 512>>>(p);
  CUDA(cudaMemcpy(values, p, 4, cudaMemcpyDeviceToHost));
  CHECK(values[0] == 512, "%d", values[0]);
  CHECK(cudaFree(values) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue,
        "a bad free");
  CHECK(cudaMemcpy(values, values, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
        "host memory as device");
  std::puts("ok");
}

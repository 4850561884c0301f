#include "check.h"
#include <cuda_fp16.h>
#include <vector>

__device__ int counter = 5;
__device__ float table[8];
static __device__ int hidden = 3;
__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ int scale;
__device__ int *pointer = &counter;

struct Big {
  int values[20];
  char tag;
  double last;
};

struct Shape {
  __device__ virtual int area() const { return 0; }
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};

template <typename T, int N> struct Vector {
  T v[N];
  __host__ __device__ T &operator[](int i) { return v[i]; }
};

template <typename F> __global__ void apply(F f, int *out) { out[threadIdx.x] = f(threadIdx.x); }

__global__ void globals(float *out, Big big, Vector<short, 3> small) {
  const int t = threadIdx.x;
  atomicAdd(&counter, 1);
  atomicAdd(pointer, 1);
  if (t < 8)
    table[t] = weights[t % 4] * scale;
  if (t == 0)
    hidden += big.values[19] + big.tag;
  out[t] = (float)big.last + small[t % 3];
}

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
typedef int (*Function)(int);
__device__ Function functions[2] = {twice, square};

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void indirect(int *out) {
  const int t = threadIdx.x;
  Square s(t);
  Shape *shape = &s;
  int local[16];
  for (int i = 0; i < 16; ++i)
    local[i] = i * t;
  int *heap = (int *)malloc(64);
  heap[t % 16] = t;
  out[t] = functions[t % 2](t) + shape->area() + local[(t * 7) % 16] + fibonacci(t % 10) + heap[t % 16];
  free(heap);
  if (t == 3)
    printf("device printf %d %s %.2f %c %lld %5u|\n", t, "text", 2.5, 'x', 1ll << 40, 42u);
}

__global__ void halves(const float *in, __half *h, __half2 *h2, float *out) {
  const int t = threadIdx.x;
  h[t] = __float2half(in[t]);
  h2[t] = __floats2half2_rn(in[t], 2 * in[t]);
  const __half2 product = __hmul2(h2[t], __float2half2_rn(2.0f));
  const __half sum = __hadd(h[t], __hmul(h[t], __float2half(0.5f)));
  out[t] = __half2float(sum) + __low2float(product) + __high2float(__hfma2(product, product, h2[t])) +
           (__hgt(h[t], __float2half(3.0f)) ? 100.0f : 0.0f) + __half2float(hsqrt(h[t])) + __ldg(in + t);
}

int main() {
  const int one = 7, n = 32;
  CUDA(cudaMemcpyToSymbol(scale, &one, sizeof one));
  float *out, host[n];
  CUDA(cudaMalloc(&out, sizeof host));
  Big big = {};
  big.values[19] = 10;
  big.tag = 4;
  big.last = 0.5;
  Vector<short, 3> small = {{1, 2, 3}};
  globals<<<1, n>>>(out, big, small);
  CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t)
    CHECK(host[t] == 0.5f + small[t % 3], "%d: %g", t, host[t]);
  int value = 0;
  CUDA(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 5 + 2 * n, "%d", value);
  CUDA(cudaMemcpyFromSymbol(&value, hidden, sizeof value));
  CHECK(value == 17, "%d", value);
  float symbols[8];
  void *address = nullptr;
  size_t bytes = 0;
  CUDA(cudaGetSymbolAddress(&address, table));
  CUDA(cudaGetSymbolSize(&bytes, table));
  CHECK(bytes == sizeof symbols, "%zu", bytes);
  CUDA(cudaMemcpy(symbols, address, sizeof symbols, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; ++i)
    CHECK(symbols[i] == 7.0f * (1 + i % 4), "%d: %g", i, symbols[i]);

  int *iout, ihost[n];
  CUDA(cudaMalloc(&iout, sizeof ihost));
  const int base = 1000;
  apply<<<1, n>>>([=] __device__(int i) { return base - i; }, iout);
  CUDA(cudaMemcpy(ihost, iout, sizeof ihost, cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t)
    CHECK(ihost[t] == 1000 - t, "%d: %d", t, ihost[t]);

  indirect<<<1, n>>>(iout);
  CUDA(cudaMemcpy(ihost, iout, sizeof ihost, cudaMemcpyDeviceToHost));
  const int fib[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int t = 0; t < n; ++t)
    CHECK(ihost[t] == (t % 2 ? t * t : 2 * t) + t * t + (t * 7 % 16) * t + fib[t % 10] + t, "%d: %d", t, ihost[t]);

  float *in, fhost[n];
  __half *h;
  __half2 *h2;
  for (int t = 0; t < n; ++t)
    fhost[t] = t * 0.25f;
  CUDA(cudaMalloc(&in, sizeof fhost));
  CUDA(cudaMalloc(&h, n * 2));
  CUDA(cudaMalloc(&h2, n * 4));
  CUDA(cudaMemcpy(in, fhost, sizeof fhost, cudaMemcpyHostToDevice));
  halves<<<1, n>>>(in, h, h2, out);
  CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    const float x = t * 0.25f;
    const float expected =
        1.5f * x + 2 * x + (16 * x * x + 2 * x) + (x > 3 ? 100.0f : 0.0f) + std::sqrt(x) + x;
    CHECK(near(host[t], expected, 2e-3), "%d: %g, not %g", t, host[t], expected);
  }
  std::puts("ok");
}

#include "check.h"
#include <cuda/atomic>
#include <vector>

__global__ void histogram(const unsigned char *in, int n, unsigned *out) {
  extern __shared__ unsigned bins[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&out[i], bins[i]);
}

__device__ double casAdd(double *p, double v) {
  unsigned long long *u = (unsigned long long *)p, old = *u, assumed;
  do {
    assumed = old;
    old = atomicCAS(u, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

struct Atomics {
  int add, sub, min, max, andBits, orBits, xorBits, exchange;
  unsigned inc, dec, umin, umax;
  unsigned long long wide;
  float f;
  double d, cas;
};

__global__ void atomics(Atomics *a) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&a->add, t);
  atomicSub(&a->sub, t);
  atomicMin(&a->min, t - 5);
  atomicMax(&a->max, t);
  atomicAnd(&a->andBits, ~(1 << (t % 8)));
  atomicOr(&a->orBits, 1 << (t % 16));
  atomicXor(&a->xorBits, t);
  atomicExch(&a->exchange, 77);
  atomicInc(&a->inc, 9);
  atomicDec(&a->dec, 9);
  atomicMin(&a->umin, 1000u - t);
  atomicMax(&a->umax, (unsigned)t * 3);
  atomicAdd(&a->wide, 1ull << 32);
  atomicAdd(&a->f, 0.5f);
  atomicAdd(&a->d, 0.25);
  atomicAdd_system(&a->add, 1);
  atomicAdd_block(&a->sub, 1);
  casAdd(&a->cas, 1.0);
}

// A lock that lanes of one warp fight for.
__global__ void locked(int *lock, int *counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int *)counter += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

struct Volatile {
  __device__ static int look(int *flag) { return *static_cast<volatile int *>(flag); }
};
struct Atomic {
  __device__ static int look(int *flag) { return atomicAdd(flag, 0); }
};
struct AtomicOfBlock {
  __device__ static int look(int *flag) { return atomicAdd_block(flag, 0); }
};
struct ExchangeOfBlock {
  __device__ static int look(int *flag) { return atomicCAS_block(flag, 1, 1); }
};
struct Reference {
  __device__ static int look(int *flag) {
    return cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).fetch_or(0);
  }
};

// One lane spins on what a later lane of the block writes.
template <typename How> __global__ void spin(int *flag, int *out) {
  if (threadIdx.x == blockDim.x - 1) {
    __threadfence();
    *static_cast<volatile int *>(flag) = 1;
  } else {
    while (How::look(flag) == 0) {
    }
  }
  atomicAdd(out, 1);
}

int main() {
  const int n = 50000;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> expected(256), result(256);
  for (int i = 0; i < n; ++i)
    ++expected[in[i] = (unsigned char)(i * i / 7)];
  unsigned char *din;
  unsigned *dout;
  CUDA(cudaMalloc(&din, n));
  CUDA(cudaMalloc(&dout, 1024));
  CUDA(cudaMemcpy(din, in.data(), n, cudaMemcpyHostToDevice));
  CUDA(cudaMemset(dout, 0, 1024));
  histogram<<<13, 192, 1024>>>(din, n, dout);
  CUDA(cudaMemcpy(result.data(), dout, 1024, cudaMemcpyDeviceToHost));
  CHECK(result == expected, "histogram");

  Atomics a = {}, *da;
  a.min = 100;
  a.andBits = 0xffff;
  a.umin = 5000;
  CUDA(cudaMalloc(&da, sizeof a));
  CUDA(cudaMemcpy(da, &a, sizeof a, cudaMemcpyHostToDevice));
  atomics<<<4, 64>>>(da);
  CUDA(cudaMemcpy(&a, da, sizeof a, cudaMemcpyDeviceToHost));
  const int all = 256, sum = 255 * 256 / 2;
  CHECK(a.add == sum + all && a.sub == -sum + all, "%d %d", a.add, a.sub);
  CHECK(a.min == -5 && a.max == 255 && a.umin == 745 && a.umax == 765, "%d %d", a.min, a.max);
  CHECK(a.andBits == 0xff00 && a.orBits == 0xffff && a.xorBits == 0 && a.exchange == 77, "bits");
  CHECK(a.inc == 256 % 10 && a.dec == (10 - 256 % 10) % 10, "%u %u", a.inc, a.dec);
  CHECK(a.wide == 256ull << 32 && a.f == 128.0f && a.d == 64.0 && a.cas == 256.0, "%g %g", a.f, a.d);

  int *counters;
  CUDA(cudaMalloc(&counters, 64));
  CUDA(cudaMemset(counters, 0, 64));
  locked<<<3, 96>>>(counters, counters + 1);
  spin<Volatile><<<1, 64>>>(counters + 2, counters + 3);
  spin<Atomic><<<1, 64>>>(counters + 4, counters + 5);
  spin<AtomicOfBlock><<<1, 64>>>(counters + 6, counters + 7);
  spin<ExchangeOfBlock><<<1, 64>>>(counters + 8, counters + 9);
  spin<Reference><<<1, 64>>>(counters + 10, counters + 11);
  int host[12];
  CUDA(cudaMemcpy(host, counters, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 0 && host[1] == 288, "%d %d", host[0], host[1]);
  for (int i = 2; i < 12; i += 2)
    CHECK(host[i] == 1 && host[i + 1] == 64, "%d: %d %d", i, host[i], host[i + 1]);
  std::puts("ok");
}

// What newer programs use: grid-wide synchronisation, cuda::atomic_ref and
// cuda::barrier, asynchronous copies, bfloat16.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
namespace cg = cooperative_groups;

__global__ void gridSync(int *data, int *out) {
  cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank(), n = grid.size();
  data[i] = i;
  grid.sync();
  out[i] = data[n - 1 - i];
  grid.sync();
  data[i] = out[(i + 1) % n];
}

__global__ void atomicRef(int *counter, float *sum, unsigned long long *flags) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(*counter);
  ref.fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_system>(*sum).fetch_add(0.5f);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_block>(*flags).fetch_or(1ull << (threadIdx.x % 64));
  int expected = -1;
  ref.compare_exchange_strong(expected, 5);
  if (threadIdx.x == 0)
    ref.fetch_max(3);
}

__global__ void asyncCopy(const int *in, int *out) {
  __shared__ int tile[256];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof tile);
  cg::wait(block);
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void barrierObject(const int *in, int *out) {
  // Not an object: clang has no initialisation of shared variables.
  __shared__ alignas(8) char storage[sizeof(cuda::barrier<cuda::thread_scope_block>)];
  auto &barrier = *reinterpret_cast<cuda::barrier<cuda::thread_scope_block> *>(storage);
  __shared__ int tile[128];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  barrier.arrive_and_wait();
  const int v = tile[127 - threadIdx.x];
  auto token = barrier.arrive();
  barrier.wait(std::move(token));
  tile[threadIdx.x] = v + 1;
  barrier.arrive_and_wait();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void scans(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  out[threadIdx.x] = cg::inclusive_scan(tile, in[threadIdx.x]);
  auto parts = cg::labeled_partition(tile, threadIdx.x % 3);
  out[threadIdx.x] += 1000 * parts.size();
}

__global__ void brains(const float *in, float *out) {
  const int t = threadIdx.x;
  const __nv_bfloat16 a = __float2bfloat16(in[t]), b = __float2bfloat16(2.0f);
  const __nv_bfloat162 p = __floats2bfloat162_rn(in[t], 1.0f);
  out[t] = __bfloat162float(__hmul(a, b)) + __bfloat162float(__hfma(a, b, a)) + __low2float(__hadd2(p, p)) +
           (__hlt(a, b) ? 1000.0f : 0.0f);
}

// Tiles of several warps meet in the system's bytes of shared memory, which are none of the block's own.
__global__ void largeTiles(const int *in, int *out) {
  __shared__ cg::block_tile_memory<128> memory;
  __shared__ int kept[128];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  kept[t] = in[t];
  for (int round = 0; round < 3; ++round) {
    const int sum = cg::reduce(tile, in[t], cg::plus<int>());
    tile.sync();
    out[blockIdx.x * 128 + t] = sum + kept[t ^ 63];
  }
}

int main() {
  const int n = 1024;
  int *in, *out, host[n], result[n];
  CUDA(cudaMalloc(&in, sizeof host));
  CUDA(cudaMalloc(&out, sizeof host));
  void *arguments[] = {&in, &out};
  CUDA(cudaLaunchCooperativeKernel((void *)gridSync, dim3(8), dim3(128), arguments, 0, 0));
  CUDA(cudaMemcpy(result, in, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    CHECK(result[i] == n - 1 - (i + 1) % n, "%d: %d", i, result[i]);

  struct {
    int counter;
    float sum;
    unsigned long long flags;
  } c = {}, *dc;
  CUDA(cudaMalloc(&dc, sizeof c));
  c.counter = 10;
  CUDA(cudaMemcpy(dc, &c, sizeof c, cudaMemcpyHostToDevice));
  atomicRef<<<4, 96>>>(&dc->counter, &dc->sum, &dc->flags);
  CUDA(cudaMemcpy(&c, dc, sizeof c, cudaMemcpyDeviceToHost));
  CHECK(c.counter == 394 && c.sum == 192.0f && c.flags == ~0ull, "%d %g %llx", c.counter, c.sum, c.flags);

  for (int i = 0; i < n; ++i)
    host[i] = i * 7 % 1000;
  CUDA(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  asyncCopy<<<4, 256>>>(in, out);
  CUDA(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    CHECK(result[i] == host[i / 256 * 256 + 255 - i % 256], "%d: %d", i, result[i]);
  barrierObject<<<1, 128>>>(in, out);
  CUDA(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 128; ++i)
    CHECK(result[i] == host[127 - (i ^ 1)] + 1, "%d: %d", i, result[i]);
  scans<<<1, 64>>>(in, out);
  CUDA(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i) {
    int sum = 0, label = 0;
    for (int k = i / 32 * 32; k <= i; ++k)
      sum += host[k];
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k)
      label += k % 3 == i % 3;
    CHECK(result[i] == sum + 1000 * label, "%d: %d, not %d", i, result[i], sum + 1000 * label);
  }

  float *fin, *fout, f[32], r[32];
  CUDA(cudaMalloc(&fin, sizeof f));
  CUDA(cudaMalloc(&fout, sizeof f));
  for (int i = 0; i < 32; ++i)
    f[i] = i * 0.25f;
  CUDA(cudaMemcpy(fin, f, sizeof f, cudaMemcpyHostToDevice));
  brains<<<1, 32>>>(fin, fout);
  CUDA(cudaMemcpy(r, fout, sizeof r, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    CHECK(near(r[i], 7 * f[i] + (f[i] < 2 ? 1000 : 0), 1e-2), "%d: %g", i, r[i]);
  int numbers[128];
  for (int i = 0; i < 128; ++i)
    numbers[i] = i;
  CUDA(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  largeTiles<<<8, 128>>>(in, out);
  CUDA(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const int t = i % 128, sum = t < 64 ? 2016 : 6112;
    CHECK(result[i] == sum + (t ^ 63), "%d: %d", i, result[i]);
  }
  std::puts("ok");
}

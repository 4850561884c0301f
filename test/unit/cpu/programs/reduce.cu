#include "check.h"
#include <vector>

__inline__ __device__ int warpSum(int v) {
  for (int offset = 16; offset; offset /= 2)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}

__global__ void reduce(const int *in, int n, int *out) {
  __shared__ int partial[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  sum = warpSum(sum);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    sum = warpSum(sum);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
}

// One value per warp operation, checked on the host by the definition.
__global__ void warpOperations(unsigned *out) {
  const unsigned lane = threadIdx.x % 32, full = 0xffffffffu;
  unsigned *o = out + threadIdx.x * 24;
  o[0] = __ballot_sync(full, lane % 3 == 0);
  o[1] = __any_sync(full, lane == 7);
  o[2] = __all_sync(full, lane < 32);
  o[3] = __shfl_sync(full, lane * 10, 5);
  o[4] = __shfl_up_sync(full, lane, 3);
  o[5] = __shfl_xor_sync(full, lane, 9);
  o[6] = __match_any_sync(full, lane / 4);
  int same;
  o[7] = __match_all_sync(full, 42, &same);
  o[8] = same;
  o[9] = __shfl_sync(full, lane, 2, 8);
  if (lane % 2) {
    o[10] = __ballot_sync(0xaaaaaaaau, lane > 16);
    o[11] = __shfl_sync(0xaaaaaaaau, lane, 31);
  } else {
    o[10] = __ballot_sync(0x55555555u, lane > 16);
    o[11] = __shfl_sync(0x55555555u, lane, 30);
  }
  __syncwarp();
  o[12] = __activemask();
  o[13] = 0;
  if (lane < 10)
    o[13] = __activemask();
  o[14] = __syncthreads_count(threadIdx.x % 5 == 0);
  o[15] = __syncthreads_and(threadIdx.x < 63);
  o[16] = __syncthreads_or(threadIdx.x == 63);
  unsigned laneid, lt, ge;
  asm("mov.u32 %0, %%laneid;" : "=r"(laneid));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  o[17] = laneid;
  o[18] = lt;
  o[19] = ge;
  o[20] = __popc(lane) + __clz(lane) + __ffs(lane) + __brev(lane);
  o[21] = __byte_perm(0x01020304, 0xa0b0c0d0, 0x5410 + lane % 4);
  o[22] = (unsigned)(__shfl_sync(full, (double)lane * 1.5, 4) * 2);
  o[23] = (unsigned)(__shfl_down_sync(full, (unsigned long long)lane << 33, 1) >> 33);
}

int main() {
  const int n = 100000;
  std::vector<int> in(n);
  int expected = 0;
  for (int i = 0; i < n; ++i)
    expected += in[i] = (i * 7919) % 101 - 50;
  int *din, *dout;
  CUDA(cudaMalloc(&din, n * 4));
  CUDA(cudaMalloc(&dout, 4));
  CUDA(cudaMemcpy(din, in.data(), n * 4, cudaMemcpyHostToDevice));
  CUDA(cudaMemset(dout, 0, 4));
  reduce<<<20, 256>>>(din, n, dout);
  int result = 0;
  CUDA(cudaMemcpy(&result, dout, 4, cudaMemcpyDeviceToHost));
  CHECK(result == expected, "%d, not %d", result, expected);

  unsigned *dw;
  std::vector<unsigned> w(64 * 24);
  CUDA(cudaMalloc(&dw, w.size() * 4));
  warpOperations<<<1, 64>>>(dw);
  CUDA(cudaMemcpy(w.data(), dw, w.size() * 4, cudaMemcpyDeviceToHost));
  for (unsigned t = 0; t < 64; ++t) {
    const unsigned l = t % 32, *o = &w[t * 24];
    CHECK(o[0] == 0x49249249u, "%u: %x", t, o[0]);
    CHECK(o[1] == 1 && o[2] == 1, "%u", t);
    CHECK(o[3] == 50, "%u: %u", t, o[3]);
    CHECK(o[4] == (l < 3 ? l : l - 3), "%u: %u", t, o[4]);
    CHECK(o[5] == (l ^ 9), "%u: %u", t, o[5]);
    CHECK(o[6] == 0xfu << (l / 4 * 4), "%u: %x", t, o[6]);
    CHECK(o[7] == 0xffffffffu && o[8] == 1, "%u: %x", t, o[7]);
    CHECK(o[9] == l / 8 * 8 + 2, "%u: %u", t, o[9]);
    CHECK(o[10] == (l % 2 ? 0xaaaa0000u : 0x55540000u), "%u: %x", t, o[10]);
    CHECK(o[11] == (l % 2 ? 31u : 30u), "%u: %u", t, o[11]);
    CHECK(o[12] == 0xffffffffu, "%u: %x", t, o[12]);
    CHECK(o[13] == (l < 10 ? 0x3ffu : 0), "%u: %x", t, o[13]);
    CHECK(o[14] == 13 && o[15] == 0 && o[16] == 1, "%u: %u %u %u", t, o[14], o[15], o[16]);
    CHECK(o[17] == l && o[18] == (1u << l) - 1 && o[19] == ~((1u << l) - 1), "%u", t);
    unsigned reversed = 0;
    for (int b = 0; b < 32; ++b)
      reversed |= (l >> b & 1u) << (31 - b);
    CHECK(o[20] == (unsigned)__builtin_popcount(l) + (l ? __builtin_clz(l) : 32) + __builtin_ffs(l) + reversed,
          "%u", t);
    unsigned selector = 0x5410 + l % 4, permuted = 0;
    unsigned long long pool = 0xa0b0c0d001020304ull;
    for (int b = 0; b < 4; ++b)
      permuted |= (unsigned)(pool >> 8 * (selector >> 4 * b & 7) & 0xff) << 8 * b;
    CHECK(o[21] == permuted, "%u: %x, not %x", t, o[21], permuted);
    CHECK(o[22] == 12, "%u", t);
    CHECK(o[23] == (l < 31 ? l + 1 : 31), "%u", t);
  }
  std::puts("ok");
}

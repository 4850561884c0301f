#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>
namespace cg = cooperative_groups;

__global__ void tiles(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int v = in[block.thread_rank()];
  for (int offset = tile.size() / 2; offset; offset /= 2)
    v += tile.shfl_down(v, offset);
  if (tile.thread_rank() == 0)
    out[block.thread_rank() / 16] = v;
  block.sync();
}

__global__ void reduceTiles(const int *in, int *out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0)
    out[threadIdx.x / 32] = sum;
}

__global__ void coalesced(int *counter, const int *in) {
  if (in[threadIdx.x] % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0)
      atomicAdd(counter, active.size());
    active.sync();
  }
}

int main() {
  const int n = 128;
  int in[n], out[n];
  for (int i = 0; i < n; ++i)
    in[i] = i * i % 31;
  int *din, *dout;
  CUDA(cudaMalloc(&din, sizeof in));
  CUDA(cudaMalloc(&dout, sizeof out));
  CUDA(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  tiles<<<1, n>>>(din, dout);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int g = 0; g < n / 16; ++g) {
    int sum = 0;
    for (int i = 0; i < 16; ++i)
      sum += in[g * 16 + i];
    CHECK(out[g] == sum, "%d: %d, not %d", g, out[g], sum);
  }
  reduceTiles<<<1, n>>>(din, dout);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int g = 0; g < n / 32; ++g) {
    int sum = 0;
    for (int i = 0; i < 32; ++i)
      sum += in[g * 32 + i];
    CHECK(out[g] == sum, "%d: %d, not %d", g, out[g], sum);
  }
  CUDA(cudaMemset(dout, 0, 4));
  coalesced<<<1, n>>>(dout, din);
  CUDA(cudaMemcpy(out, dout, 4, cudaMemcpyDeviceToHost));
  int expected = 0;
  for (int i = 0; i < n; ++i)
    expected += in[i] % 3 == 0;
  CHECK(out[0] == expected, "%d, not %d", out[0], expected);
  std::puts("ok");
}

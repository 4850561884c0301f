/// Shared memory of other blocks of a cluster: read, counted in and stored to, by cooperative groups and by PTX, with clusters of the kernel
/// and of the launch.
#include "verdict.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 64, kBlocks = 8;

/// The next block's tile, backwards.
__global__ void __cluster_dims__(4) neighbours(const int *in, int *out) {
  __shared__ int tile[kThreads];
  const cg::cluster_group cluster = cg::this_cluster();
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  cluster.sync();
  out[i] = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % 4)[kThreads - 1 - threadIdx.x];
  cluster.sync();
}

/// In all four blocks, the own one too; a cluster is two by two blocks.
__global__ void __cluster_dims__(2, 2) counts(int *out) {
  __shared__ int bins[kThreads / 4];
  const cg::cluster_group cluster = cg::this_cluster();
  const int block = blockIdx.x + gridDim.x * blockIdx.y;
  if (threadIdx.x < kThreads / 4)
    bins[threadIdx.x] = 0;
  cluster.sync();
  atomicAdd(&cluster.map_shared_rank(bins, threadIdx.x % 4)[threadIdx.x / 4], 1 + cluster.block_rank());
  cluster.sync();
  if (threadIdx.x < kThreads / 4)
    out[block * (kThreads / 4) + threadIdx.x] = bins[threadIdx.x];
}

/// Each thread stores to the other block. How many blocks a cluster has the launch says.
__global__ void exchange(int *out) {
  extern __shared__ int window[];
  unsigned rank, remote;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(remote)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&window[threadIdx.x]))), "r"(rank ^ 1));
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(blockIdx.x * 100 + threadIdx.x)
               : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  out[blockDim.x * blockIdx.x + threadIdx.x] = window[threadIdx.x];
}

int main() {
  constexpr int kAll = kThreads * kBlocks;
  Device<int> in(generate<int>(kAll, [](std::size_t i) { return 3 * int(i); }));
  Device<int> reversed(kAll), sums(kAll / 4), exchanged(kAll);
  neighbours<<<kBlocks, kThreads>>>(in, reversed);
  counts<<<dim3(4, 2), kThreads>>>(sums);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.dynamicSmemBytes = kThreads * sizeof(int);
  config.attrs = &attribute;
  config.numAttrs = 1;
  MUST(cudaLaunchKernelEx(&config, exchange, static_cast<int *>(exchanged)));

  Verdict verdict("clusters");
  verdict.equal("reversed", reversed.read(), generate<int>(kAll, [](std::size_t i) {
                  const int block = int(i) / kThreads, next = block / 4 * 4 + (block % 4 + 1) % 4;
                  return 3 * (next * kThreads + kThreads - 1 - int(i) % kThreads);
                }));
  verdict.equal("sums", sums.read(), generate<int>(kAll / 4, [](std::size_t) { return 1 + 2 + 3 + 4; }));
  verdict.equal("exchanged", exchanged.read(), generate<int>(kAll, [](std::size_t i) {
                  return (int(i) / kThreads ^ 1) * 100 + int(i) % kThreads;
                }));
  return verdict.finish();
}

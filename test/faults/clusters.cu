// Shared memory of other blocks of a cluster: barriers that are missing, too early or too weak, and blocks that do not wait.
#include "cases.h"

#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

constexpr int kBlocks = 8, kThreads = 64, kCluster = 4;

__device__ unsigned inWindow(const void *shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// The neighbour's tile is read, and nobody waits for the neighbour to have filled it.
__global__ void __cluster_dims__(kCluster) noBarrier(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i]; //~ noBarrier: race-blocks
  if (fixed)
    cluster.sync();
  const int *const next = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % kCluster);
  out[i] = next[t]; //~ noBarrier: race-blocks
  cluster.sync();
}

// A barrier of the block is not one of the cluster.
__global__ void __cluster_dims__(kCluster) blockBarrier(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i]; //~ blockBarrier: race-blocks
  if (fixed)
    cluster.sync();
  else
    __syncthreads();
  const int *const next = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
  out[i] = next[t]; //~ blockBarrier: race-blocks
  cluster.sync();
}

// The tile is filled again while the neighbour may still read it.
__global__ void __cluster_dims__(kCluster) noSecondBarrier(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    tile[t] = in[i] + round; //~ noSecondBarrier: race-blocks
    cluster.sync();
    sum += cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[t]; //~ noSecondBarrier: race-blocks
    if (fixed)
      cluster.sync();
  }
  out[i] = sum;
  cluster.sync();
}

// The block arrives at the barrier, and only then fills its tile.
__global__ void __cluster_dims__(kCluster) arrivesTooEarly(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  if (fixed)
    tile[t] = in[i];
  auto token = cluster.barrier_arrive();
  if (!fixed)
    tile[t] = in[i]; //~ arrivesTooEarly: race-blocks
  cluster.barrier_wait(std::move(token));
  out[i] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[t]; //~ arrivesTooEarly: race-blocks
  cluster.sync();
}

// The block reads what it asked the barrier for, and has not waited.
__global__ void __cluster_dims__(kCluster) readsBeforeWait(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i]; //~ readsBeforeWait: race-blocks
  const int *const other = cluster.map_shared_rank(tile, kCluster - 1 - cluster.block_rank());
  auto token = cluster.barrier_arrive();
  int value = 0;
  if (!fixed)
    value = other[t]; //~ readsBeforeWait: race-blocks
  cluster.barrier_wait(std::move(token));
  if (fixed)
    value = other[t];
  out[i] = value;
  cluster.sync();
}

// Who arrives so orders nothing.
__global__ void __cluster_dims__(kCluster) relaxedArrival(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i]; //~ relaxedArrival: race-blocks
  if (fixed)
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  else
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
  out[i] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[t]; //~ relaxedArrival: race-blocks
  cluster.sync();
}

// Others count in bins that their block may not have cleared.
__global__ void __cluster_dims__(2) binsOfOthersNotCleared(const int *in, int *out, bool fixed) {
  __shared__ int bins[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  bins[t] = 0; //~ binsOfOthersNotCleared: race-blocks
  if (fixed)
    cluster.sync();
  else
    __syncthreads();
  const int bin = in[i] * 7 % (2 * kThreads);
  int *const place = cluster.map_shared_rank(bins, bin / kThreads) + bin % kThreads;
  atomicAdd(place, 1); //~ binsOfOthersNotCleared: race-blocks
  cluster.sync();
  out[i] = bins[t];
}

// The block reads its bins while others may still count in them.
__global__ void __cluster_dims__(2) binsReadTooEarly(const int *in, int *out, bool fixed) {
  __shared__ int bins[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  bins[t] = 0;
  cluster.sync();
  const int bin = in[i] * 7 % (2 * kThreads);
  int *const place = cluster.map_shared_rank(bins, bin / kThreads) + bin % kThreads;
  atomicAdd(place, 1); //~ binsReadTooEarly: race-blocks
  if (fixed)
    cluster.sync();
  else
    __syncthreads();
  out[i] = bins[t]; //~ binsReadTooEarly: race-blocks
}

// The neighbour may have ended, and its shared memory with it.
__global__ void __cluster_dims__(kCluster) neighbourEnded(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i];
  cluster.sync();
  out[i] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[t]; //~ neighbourEnded: block-ended on cpu
  if (fixed)
    cluster.sync();
}

// The first block returns when it has filled its tile, and others still read that.
__global__ void __cluster_dims__(kCluster) firstReturned(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i];
  cluster.sync();
  if (!fixed && cluster.block_rank() == 0)
    return;
  out[i] = cluster.map_shared_rank(tile, 0)[t]; //~ firstReturned: block-ended on cpu
  cluster.sync();
}

// The last store goes to the next block's memory, and a barrier of the own block does not keep that one.
__global__ void __cluster_dims__(kCluster) lastStore(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  int *const next = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % kCluster);
  cluster.sync();
  next[t] = in[i]; //~ lastStore: block-ended
  if (fixed)
    cluster.sync();
  else
    __syncthreads();
  if (fixed)
    out[i] = tile[t];
}

// All that the neighbour reads must be filled, also the part that the block does not need itself.
__global__ void __cluster_dims__(kCluster) halfOfTile(const int *in, int *out, bool fixed) {
  __shared__ int tile[2 * kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i];
  if (fixed)
    tile[kThreads + t] = -in[i];
  cluster.sync();
  const int *const next = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % kCluster);
  out[i] = next[kThreads + t]; //~ halfOfTile: uninitialised-read
  cluster.sync();
}

// One element behind the other block's tile.
__global__ void __cluster_dims__(kCluster) beyondTile(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i];
  cluster.sync();
  const int *const next = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % kCluster);
  out[i] = next[fixed ? (t + 1) % kThreads : t + 1]; //~ beyondTile: out-of-bounds
  cluster.sync();
}

// The last block's next one is in no cluster.
__global__ void __cluster_dims__(kCluster) noSuchRank(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = in[i];
  cluster.sync();
  const unsigned next = fixed ? (cluster.block_rank() + 1) % kCluster : cluster.block_rank() + 1;
  out[i] = cluster.map_shared_rank(tile, next)[t]; //~ noSuchRank: out-of-bounds
  cluster.sync();
}

// The flag in the other block's memory may be seen before the data beside it: the fence is for the writer's own block.
__global__ void __cluster_dims__(2) narrowFence(const int *in, int *out, bool fixed) {
  __shared__ int data, flag;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    data = flag = 0;
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    *cluster.map_shared_rank(&data, 1) = in[blockIdx.x]; //~ narrowFence: race-blocks
    if (fixed)
      __threadfence();
    else
      __threadfence_block();
    *static_cast<volatile int *>(cluster.map_shared_rank(&flag, 1)) = 1;
  }
  if (threadIdx.x == 0 && cluster.block_rank() == 1) {
    while (*static_cast<volatile int *>(&flag) == 0)
      ;
    __threadfence();
    out[blockIdx.x] = data; //~ narrowFence: race-blocks
  }
  cluster.sync();
}

// The reader looks at its flag, and reads the data with nothing behind the look.
__global__ void __cluster_dims__(2) noClusterReaderFence(const int *in, int *out, bool fixed) {
  __shared__ int data, flag;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    data = flag = 0;
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    *cluster.map_shared_rank(&data, 1) = in[blockIdx.x]; //~ noClusterReaderFence: race-blocks
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    *static_cast<volatile int *>(cluster.map_shared_rank(&flag, 1)) = 1;
  }
  if (threadIdx.x == 0 && cluster.block_rank() == 1) {
    while (*static_cast<volatile int *>(&flag) == 0)
      ;
    if (fixed)
      asm volatile("fence.acq_rel.cluster;" ::: "memory");
    out[blockIdx.x] = data; //~ noClusterReaderFence: race-blocks
  }
  cluster.sync();
}

// The sum is atomic for each block alone.
__global__ void __cluster_dims__(kCluster) narrowAtomic(const int *in, int *out, bool fixed) {
  __shared__ int sum;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    sum = 0;
  cluster.sync();
  int *const first = cluster.map_shared_rank(&sum, 0);
  const int value = in[blockIdx.x * kThreads + threadIdx.x];
  if (fixed)
    asm volatile("{ .reg .u64 a; .reg .u32 b; cvta.to.shared.u64 a, %0; cvt.u32.u64 b, a; "
                 "red.relaxed.cluster.shared::cluster.add.s32 [b], %1; }" ::"l"(first),
                 "r"(value)
                 : "memory");
  else
    atomicAdd_block(first, value); //~ narrowAtomic: race-blocks
  cluster.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

// The consumer reads before it has waited for the other block's arrival at its mbarrier.
__global__ void __cluster_dims__(2) noWaitAtMbarrier(const int *in, int *out, bool fixed) {
  __shared__ alignas(8) std::uint64_t full;
  __shared__ int data[kThreads];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  if (t == 0 && cluster.block_rank() == 1)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(inWindow(&full)), "r"(kThreads) : "memory");
  cluster.sync();
  if (cluster.block_rank() == 0) {
    cluster.map_shared_rank(data, 1)[t] = in[t]; //~ noWaitAtMbarrier: race-blocks
    unsigned remote;
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(remote) : "r"(inWindow(&full)));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
  } else {
    if (fixed) {
      unsigned done = 0;
      while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(inWindow(&full))
                     : "memory");
    }
    out[t] = data[t]; //~ noWaitAtMbarrier: race-blocks
  }
  cluster.sync();
}

// The barrier of a cluster orders its blocks: the next block in global memory may be of another cluster.
__global__ void __cluster_dims__(2) otherCluster(int *data, int *out, bool fixed) {
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  data[i] = t; //~ otherCluster: race-blocks
  cluster.sync();
  const int next = fixed ? blockIdx.x ^ 1 : (blockIdx.x + 1) % kBlocks;
  out[i] = data[next * kThreads + t]; //~ otherCluster: race-blocks
}

// The launch says how large its clusters are, and the kernel counts on larger ones.
__global__ void smallerClusters(const int *in, int *out, int blocks) {
  extern __shared__ int window[];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  window[t] = in[i];
  cluster.sync();
  const int *const next = cluster.map_shared_rank(window, (cluster.block_rank() + 1) % blocks);
  out[i] = next[t]; //~ smallerClusters: out-of-bounds
  cluster.sync();
}

void runSmallerClusters(bool fixed) {
  const DeviceArray<int> in(numbers(kPlain)), out(kPlain);
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
  cudaLaunchKernelEx(&config, smallerClusters, static_cast<const int *>(in), static_cast<int *>(out),
                     fixed ? 2 : 4);
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {PLAIN_CASE(noBarrier, kBlocks, kThreads),
                    PLAIN_CASE(blockBarrier, kBlocks, kThreads),
                    PLAIN_CASE(noSecondBarrier, kBlocks, kThreads),
                    PLAIN_CASE(arrivesTooEarly, kBlocks, kThreads),
                    PLAIN_CASE(readsBeforeWait, kBlocks, kThreads),
                    PLAIN_CASE(relaxedArrival, kBlocks, kThreads),
                    PLAIN_CASE(binsOfOthersNotCleared, kBlocks, kThreads),
                    PLAIN_CASE(binsReadTooEarly, kBlocks, kThreads),
                    PLAIN_CASE(neighbourEnded, kBlocks, kThreads), //~ neighbourEnded: failed-kernel on gpu
                    PLAIN_CASE(firstReturned, kBlocks, kThreads),  //~ firstReturned: failed-kernel on gpu
                    PLAIN_CASE(lastStore, kBlocks, kThreads),
                    PLAIN_CASE(halfOfTile, kBlocks, kThreads),
                    PLAIN_CASE(beyondTile, kBlocks, kThreads),
                    PLAIN_CASE(noSuchRank, kBlocks, kThreads),
                    PLAIN_CASE(narrowFence, kBlocks, kThreads),
                    PLAIN_CASE(noClusterReaderFence, kBlocks, kThreads),
                    PLAIN_CASE(narrowAtomic, kBlocks, kThreads),
                    PLAIN_CASE(noWaitAtMbarrier, 2, kThreads),
                    {"otherCluster",
                     [](bool fixed) {
                       const DeviceArray<int> data(kPlain), out(kPlain);
                       otherCluster<<<kBlocks, kThreads>>>(data, out, fixed);
                     }},
                    {"smallerClusters", runSmallerClusters}});
}

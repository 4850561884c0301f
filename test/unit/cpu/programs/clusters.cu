// Thread-block clusters: where blocks are, their barrier, each other's shared memory, and what is refused.
#define _CG_CLUSTER_INTRINSICS_AVAILABLE // as the project's compatibility headers say it
#include "check.h"
#include <cooperative_groups.h>
#include <cstdint>
#include <vector>

namespace {

namespace cg = cooperative_groups;

struct Where {
  unsigned rank, size, dims[3], index[3], cluster[3], clusters[3], isExplicit, named;
};

__global__ void whereAmI(Where *all) {
  if (threadIdx.x)
    return;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  Where &at = all[block];
  const dim3 dims = cluster.dim_blocks(), index = cluster.block_index(), place = __clusterIdx(),
             clusters = __clusterGridDimInClusters();
  at = {cluster.block_rank(),        cluster.num_blocks(),
        {dims.x, dims.y, dims.z},    {index.x, index.y, index.z},
        {place.x, place.y, place.z}, {clusters.x, clusters.y, clusters.z},
        __clusterDimIsSpecified(),   0};
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(at.named));
}

/// Each block adds up what all others of its cluster have, in several rounds.
__global__ void sums(unsigned *out, unsigned rounds) {
  extern __shared__ unsigned mine[];
  const cg::cluster_group cluster = cg::this_cluster();
  unsigned value = blockIdx.x * 1000 + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    mine[threadIdx.x] = value;
    cluster.sync();
    unsigned sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
      sum += *cluster.map_shared_rank(&mine[threadIdx.x], rank);
    cluster.sync();
    value = sum % 65521;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/// The same word of the next block, by PTX: an address of 32 bits, one of 64, and whose it is.
__global__ void byPtx(unsigned *out) {
  __shared__ unsigned word, count;
  unsigned rank, size, place, remote, there, value, found, isOwn, isAny;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) {
    word = 100 + rank;
    count = 0;
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  place = static_cast<unsigned>(__cvta_generic_to_shared(&word));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place), "r"((rank + 1) % size));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(found) : "r"(remote));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&count))), "r"(0));
  asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
  std::uint64_t generic;
  asm("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&word), "r"((rank + 1) % size));
  asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(isOwn) : "l"(generic));
  asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(isAny) : "l"(generic));
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
  if (threadIdx.x == 0) {
    unsigned *const at = out + blockIdx.x * 5;
    at[0] = value;
    at[1] = found;
    at[2] = isOwn * 2 + isAny;
    at[3] = *reinterpret_cast<unsigned *>(generic);
    at[4] = count;
  }
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

/// Half of the threads leave before the barrier, the other half goes on between arriving and waiting.
__global__ void inParts(unsigned *out) {
  __shared__ unsigned mine[64];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = threadIdx.x + blockIdx.x;
  __syncthreads();
  if (threadIdx.x % 2)
    return;
  auto token = cluster.barrier_arrive();
  out[blockIdx.x * 64 + threadIdx.x] = 1;
  cluster.barrier_wait(std::move(token));
  out[blockIdx.x * 64 + threadIdx.x] +=
      *cluster.map_shared_rank(&mine[threadIdx.x + 1], cluster.block_rank() ^ 1u);
  cluster.sync();
}

/// A flag in the other block's shared memory, for which that waits.
__global__ void handOver(unsigned *out) {
  __shared__ unsigned data, flag;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    data = flag = 0;
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    *cluster.map_shared_rank(&data, 1) = 41;
    __threadfence();
    atomicExch(cluster.map_shared_rank(&flag, 1), 1u);
  }
  if (threadIdx.x == 0 && cluster.block_rank() == 1) {
    while (atomicAdd(&flag, 0u) == 0) {
    }
    __threadfence();
    out[blockIdx.x / 2] = data + 1;
  }
  cluster.sync();
}

/// An mbarrier of the first block, at which threads of all blocks arrive, and which stores to it complete.
__global__ void remoteArrivals(unsigned *out) {
  __shared__ alignas(8) std::uint64_t barrier;
  __shared__ unsigned words[8];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const unsigned size = cluster.num_blocks(), rank = cluster.block_rank();
  if (threadIdx.x == 0 && rank == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place), "r"(size) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(place), "r"(4 * size)
                 : "memory");
  }
  cluster.sync();
  if (threadIdx.x == 0) {
    unsigned remote, word;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(place));
    asm("mapa.shared::cluster.u32 %0, %1, 0;"
        : "=r"(word)
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&words[rank]))));
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(word),
                 "r"(rank * 3 + 1), "r"(remote)
                 : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
  }
  if (rank == 0) {
    unsigned done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                   "selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(place)
                   : "memory");
    if (threadIdx.x < size)
      out[threadIdx.x] = words[threadIdx.x];
  }
  cluster.sync();
}

/// Of a cluster's blocks, one waits at a barrier of the block for threads that wait for the cluster.
__global__ void stuck() {
  if (blockIdx.x == 1 && threadIdx.x == 0)
    __syncthreads();
  cg::this_cluster().sync();
}

/// A place that no block of the cluster has.
__global__ void nowhere(unsigned *out) {
  __shared__ unsigned word;
  word = 1;
  cg::this_cluster().sync();
  *out = *cg::this_cluster().map_shared_rank(&word, 5);
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 cluster, unsigned threads,
                   std::size_t shared, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

void checkPlaces(dim3 grid, dim3 cluster) {
  Where *all = nullptr;
  const unsigned blocks = grid.x * grid.y * grid.z;
  CUDA(cudaMallocManaged(&all, blocks * sizeof *all));
  CUDA(launch(whereAmI, grid, cluster, 64, 0, all));
  CUDA(cudaDeviceSynchronize());
  for (unsigned block = 0; block < blocks; ++block) {
    const unsigned at[] = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
    const unsigned size[] = {cluster.x, cluster.y, cluster.z}, of[] = {grid.x, grid.y, grid.z};
    const Where &is = all[block];
    for (unsigned axis = 0; axis < 3; ++axis)
      CHECK(is.dims[axis] == size[axis] && is.index[axis] == at[axis] % size[axis] &&
                is.cluster[axis] == at[axis] / size[axis] && is.clusters[axis] == of[axis] / size[axis],
            "block %u, axis %u: %u %u %u %u", block, axis, is.dims[axis], is.index[axis], is.cluster[axis],
            is.clusters[axis]);
    CHECK(is.rank == is.index[0] + size[0] * (is.index[1] + size[1] * is.index[2]) && is.named == is.rank &&
              is.size == size[0] * size[1] * size[2] && is.isExplicit == 1,
          "block %u: %u of %u", block, is.rank, is.size);
  }
  CUDA(cudaFree(all));
}

void checkSums(unsigned blocks, unsigned size, unsigned threads) {
  unsigned *out = nullptr;
  constexpr unsigned kRounds = 9;
  CUDA(cudaMallocManaged(&out, blocks * threads * sizeof *out));
  CUDA(launch(sums, blocks, size, threads, threads * sizeof *out, out, kRounds));
  CUDA(cudaDeviceSynchronize());
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned thread = 0; thread < threads; ++thread) {
      unsigned sum = 0;
      for (unsigned rank = 0; rank < size; ++rank)
        sum += (block / size * size + rank) * 1000 + thread;
      for (unsigned round = 1; round < kRounds; ++round)
        sum = sum % 65521 * size;
      CHECK(out[block * threads + thread] == sum % 65521, "clusters of %u, block %u, thread %u: %u", size,
            block, thread, out[block * threads + thread]);
    }
  CUDA(cudaFree(out));
}

} // namespace

int main(int, char **arguments) {
  keepStandardError(arguments);
  int can = 0;
  CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrClusterLaunch, 0));
  CHECK(can == 1, "%d", can);
  checkPlaces(dim3(6, 4, 2), dim3(3, 2, 1));
  checkPlaces(dim3(2, 40, 4), dim3(1, 1, 4));
  checkPlaces(dim3(5, 4, 2), dim3(1, 4, 2));
  checkPlaces(dim3(4, 1, 1), dim3(1, 1, 1));
  for (const unsigned size : {1u, 2u, 3u, 8u}) {
    checkSums(size, size, 33);
    checkSums(24, size, 96);
  }

  unsigned *out = nullptr;
  CUDA(cudaMallocManaged(&out, 4096));
  CUDA(launch(byPtx, 8, 4, 32, 0, out));
  CUDA(cudaDeviceSynchronize());
  for (unsigned block = 0; block < 8; ++block) {
    const unsigned *const at = out + block * 5, next = (block % 4 + 1) % 4;
    CHECK(at[0] == 100 + next && at[1] == next && at[2] == 1 && at[3] == 100 + next &&
              at[4] == (block % 4 ? 0u : 4 * 32u),
          "block %u: %u %u %u %u %u", block, at[0], at[1], at[2], at[3], at[4]);
  }
  CUDA(launch(inParts, 8, 2, 64, 0, out));
  CUDA(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 8 * 64; i += 2)
    CHECK(out[i] == 1 + i % 64 + 1 + (i / 64 ^ 1), "%u: %u", i, out[i]);
  CUDA(launch(handOver, 16, 2, 32, 0, out));
  CUDA(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 8; ++i)
    CHECK(out[i] == 42, "%u: %u", i, out[i]);
  CUDA(launch(remoteArrivals, 4, 4, 32, 0, out));
  CUDA(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 4; ++i)
    CHECK(out[i] == i * 3 + 1, "%u: %u", i, out[i]);

  // A captured launch keeps its clusters.
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = 16;
  config.blockDim = 32;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA(cudaLaunchKernelEx(&config, handOver, out));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (unsigned i = 0; i < 8; ++i)
    out[i] = 0;
  CUDA(cudaGraphLaunch(executable, stream));
  CUDA(cudaDeviceSynchronize());
  CHECK(out[0] == 42 && out[7] == 42, "%u %u", out[0], out[7]);

  // What can't be.
  const auto refused = [&](dim3 grid, dim3 cluster) {
    const cudaError_t error = launch(handOver, grid, cluster, 32, 0, out);
    CHECK(error == cudaErrorInvalidClusterSize && cudaGetLastError() == error, "%s", cudaGetErrorName(error));
  };
  refused(5, 2);
  refused(dim3(4, 3), dim3(1, 2));
  refused(16, 16);
  int most = 0, clusters = 0;
  config.gridDim = 16;
  CUDA(cudaOccupancyMaxPotentialClusterSize(&most, sums, &config));
  CHECK(most == 8, "%d", most);
  CUDA(cudaFuncSetAttribute(sums, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CUDA(cudaOccupancyMaxPotentialClusterSize(&most, sums, &config));
  CUDA(cudaOccupancyMaxActiveClusters(&clusters, sums, &config));
  CHECK(most == 16 && clusters > 0, "%d, %d", most, clusters);
  checkSums(32, 16, 64);
  refused(17, 17);

  if (std::getenv("CHECK_RUNS_THROUGH")) { // a thread sanitizer has no handlers of signals that take memory
    std::puts("ok");
    return 0;
  }
  cudaError_t error = cudaSuccess;
  std::string text = said([&] {
    launch(nowhere, 4, 2, 32, 0, out);
    error = cudaDeviceSynchronize();
  });
  CHECK(error == cudaErrorIllegalAddress &&
            text.find("shared memory of a block that its cluster of 2 does not have") != std::string::npos,
        "%s: %s", cudaGetErrorName(error), text.c_str());
  CUDA(cudaDeviceReset());
  text = said([&] {
    launch(stuck, 2, 2, 64, 0);
    error = cudaDeviceSynchronize();
  });
  CHECK(error == cudaErrorLaunchFailure && text.find("deadlock") != std::string::npos &&
            text.find("wait at the barrier of the cluster") != std::string::npos,
        "%s: %s", cudaGetErrorName(error), text.c_str());
  std::puts("ok");
}

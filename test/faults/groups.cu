// Cooperative groups: tiles, coalesced and labeled groups, warps that leave sums for the block, and grids, which
// hand on data through memory where nothing, or a group that is too small, waits.
#include "cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

constexpr int kBlocks = 4, kThreads = 128, kWarp = 32, kWarps = kThreads / kWarp;

/// The sum of a tile by halving, through memory.
template <typename Tile> __device__ int treeSum(const Tile &tile, int *cells, int value, bool fixed) {
  const int rank = tile.thread_rank();
  cells[rank] = value;
  tile.sync();
  for (int step = tile.size() / 2; step > 0; step /= 2) {
    if (rank < step)
      cells[rank] += cells[rank + step]; //~ tileTree8: race-lanes; tileTree32: race-lanes
    if (fixed)
      tile.sync();
  }
  return cells[0]; //~ tileTree8: race-lanes; tileTree32: race-lanes
}

// Sums of tiles by a tree in shared memory, whose steps wait for nothing.
__global__ void tileTree8(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int t = threadIdx.x, sum = treeSum(tile, cells + t / 8 * 8, in[t], fixed);
  out[t] = sum + cg::reduce(tile, in[t], cg::plus<int>());
}
__global__ void tileTree32(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const auto tile = cg::tiled_partition<kWarp>(cg::this_thread_block());
  const int t = threadIdx.x, sum = treeSum(tile, cells + t / kWarp * kWarp, in[t], fixed);
  out[t] = sum + cg::reduce(tile, in[t], cg::greater<int>());
}

// A scan of tiles of 16 in shared memory: what is left of a cell is added to it while its neighbour reads it.
__global__ void tileScan(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int t = threadIdx.x, rank = tile.thread_rank();
  cells[t] = in[t];
  tile.sync();
  for (int distance = 1; distance < 16; distance *= 2) {
    const int left = rank >= distance ? cells[t - distance] : 0; //~ tileScan: race-lanes
    if (fixed)
      tile.sync();
    cells[t] += left; //~ tileScan: race-lanes
    tile.sync();
  }
  out[t] = cells[t] - cg::inclusive_scan(tile, in[t]);
}

// Half a tile waits, and reads what the other half has written.
__global__ void tileTooSmall(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<kWarp>(block);
  const auto half = cg::tiled_partition<16>(tile);
  cells[t] = cg::exclusive_scan(tile, in[t]); //~ tileTooSmall: race-lanes
  if (fixed)
    tile.sync();
  else
    half.sync();
  out[t] = cells[t / kWarp * kWarp + kWarp - 1 - t % kWarp]; //~ tileTooSmall: race-lanes
}

// Warps leave their sums for the first one, of which only their own warp is waited for.
__global__ void tileSums(const int *in, int *out, bool fixed) {
  __shared__ int sums[kWarps];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<kWarp>(block);
  const int sum = cg::reduce(warp, in[block.thread_rank()], cg::plus<int>());
  if (warp.thread_rank() == 0)
    sums[warp.meta_group_rank()] = sum; //~ tileSums: race-warps
  if (fixed)
    block.sync();
  else
    warp.sync();
  if (warp.meta_group_rank() == 0) {
    const int part = warp.thread_rank() < kWarps ? sums[warp.thread_rank()] : 0; //~ tileSums: race-warps
    const int total = cg::reduce(warp, part, cg::plus<int>());
    if (warp.thread_rank() == 0)
      *out = total;
  }
}

// Sums by shuffles, again and again in the same cells: the next ones are left before the last ones were read.
__global__ void tileSumsAgain(const int *in, int *out, bool fixed) {
  __shared__ int sums[kWarps];
  const int t = threadIdx.x, lane = t % kWarp;
  for (int round = 0; round < 3; ++round) {
    int sum = in[t + round * kThreads];
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0)
      sums[t / kWarp] = sum; //~ tileSumsAgain: race-warps
    __syncthreads();
    int total = 0;
    for (int warp = 0; warp < kWarps; ++warp)
      total += sums[warp]; //~ tileSumsAgain: race-warps
    if (fixed)
      __syncthreads();
    out[t + round * kThreads] = total;
  }
}

// The same with the total in a cell: one warp adds up the sums, and the others read the total at once.
__global__ void warpTotal(const int *in, int *out, bool fixed) {
  __shared__ int sums[kWarps], total;
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<kWarp>(block);
  const int scanned = cg::inclusive_scan(warp, in[block.thread_rank()]);
  if (warp.thread_rank() == kWarp - 1)
    sums[warp.meta_group_rank()] = scanned;
  block.sync();
  if (block.thread_rank() < kWarps) {
    const auto first = cg::coalesced_threads();
    const int sum = cg::reduce(first, sums[first.thread_rank()], cg::plus<int>());
    if (first.thread_rank() == 0)
      total = sum; //~ warpTotal: race-warps; warpTotal: race-lanes
  }
  if (fixed)
    block.sync();
  out[block.thread_rank()] = scanned + total; //~ warpTotal: race-warps; warpTotal: race-lanes
}

// Threads that have found something count for their group: the first one adds as many as there are, without an
// atomic operation.
__global__ void aggregated(const int *in, int *out, int *count, bool fixed) {
  const int value = in[blockIdx.x * kThreads + threadIdx.x];
  if (value % 3 != 0)
    return;
  const auto found = cg::coalesced_threads();
  int first = 0;
  if (found.thread_rank() == 0) {
    if (fixed) {
      first = atomicAdd(count, found.size());
    } else {
      first = *count;                //~ aggregated: race-warps; aggregated: race-blocks
      *count = first + found.size(); //~ aggregated: race-warps; aggregated: race-blocks
    }
  }
  first = found.shfl(first, 0);
  if (fixed)
    out[first + found.thread_rank()] = value;
}

// The place of a group's results goes through shared memory instead of a shuffle.
__global__ void aggregatedPlace(const int *in, int *out, int *count, bool fixed) {
  __shared__ int places[kWarps];
  const int value = in[blockIdx.x * kThreads + threadIdx.x], warp = threadIdx.x / kWarp;
  if (value % 3 != 0)
    return;
  const auto found = cg::coalesced_threads();
  if (found.thread_rank() == 0)
    places[warp] = atomicAdd(count, found.size()); //~ aggregatedPlace: race-lanes
  if (fixed)
    found.sync();
  const int place = places[warp]; //~ aggregatedPlace: race-lanes
  out[blockIdx.x * kThreads + threadIdx.x] = place + found.thread_rank();
}

// Lanes with the same key add up: the first of each group adds for it, while the next key's may be there.
__global__ void labeled(const int *in, int *out, bool fixed) {
  __shared__ int bins[8];
  const auto warp = cg::tiled_partition<kWarp>(cg::this_thread_block());
  const int lane = warp.thread_rank();
  if (lane < 8)
    bins[lane] = 0;
  warp.sync();
  for (int round = 0; round < 2; ++round) {
    const int key = in[lane] * 5 % 7;
    const auto same = cg::labeled_partition(warp, key);
    const int sum = cg::reduce(same, in[lane], cg::plus<int>());
    if (same.thread_rank() == 0)
      bins[fixed ? key : key / 2] += sum; //~ labeled: race-lanes
    warp.sync();
  }
  if (lane < 8)
    out[lane] = bins[lane];
}

// Lanes with the same key wait for each other, and read another key's cell.
__global__ void labeledSync(const int *in, int *out, bool fixed) {
  __shared__ int cells[8];
  const auto warp = cg::tiled_partition<kWarp>(cg::this_thread_block());
  const int lane = warp.thread_rank(), key = in[lane] % 8;
  const auto same = cg::labeled_partition(warp, key);
  if (same.thread_rank() == 0)
    cells[key] = same.size() + in[lane]; //~ labeledSync: race-lanes
  if (fixed)
    warp.sync();
  else
    same.sync();
  out[lane] = cells[(key + 1) % 8]; //~ labeledSync: race-lanes
}

// Halves of a warp by a predicate: each leaves its sum, which the other reads.
__global__ void binary(const int *in, int *out, bool fixed) {
  __shared__ int sums[2];
  const auto warp = cg::tiled_partition<kWarp>(cg::this_thread_block());
  const int lane = warp.thread_rank();
  const bool odd = in[lane] % 2 != 0;
  const auto half = cg::binary_partition(warp, odd);
  const int sum = cg::reduce(half, in[lane], cg::plus<int>());
  if (half.thread_rank() == 0)
    sums[odd] = sum; //~ binary: race-lanes
  if (fixed)
    warp.sync();
  out[lane] = sums[!odd]; //~ binary: race-lanes
}

// A tile of two warps, of which each waits for itself only.
__global__ void tileOfWarps(const int *in, int *out, bool fixed) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  __shared__ int cells[kThreads];
  const auto block = cg::this_thread_block(memory);
  const auto pair = cg::tiled_partition<2 * kWarp>(block);
  const auto warp = cg::tiled_partition<kWarp>(pair);
  const int t = threadIdx.x;
  cells[t] = cg::reduce(pair, in[t], cg::plus<int>()) + t; //~ tileOfWarps: race-warps
  if (fixed)
    pair.sync();
  else
    warp.sync();
  out[t] = cells[t ^ kWarp]; //~ tileOfWarps: race-warps
}

// The block copies into shared memory together, and one warp of each waits.
__global__ void copied(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<kWarp>(block);
  if (fixed) {
    cg::memcpy_async(block, cells, in, sizeof cells);
    cg::wait(block);
  } else {
    cells[threadIdx.x] = in[threadIdx.x]; //~ copied: race-warps
    cg::wait(warp);
  }
  out[threadIdx.x] = cells[kThreads - 1 - threadIdx.x]; //~ copied: race-warps
}

// Phases of a grid: blocks wait for themselves, and read what the next one has stored.
__global__ void gridPhases(int *cells, int *out, bool fixed) {
  const auto grid = cg::this_grid();
  const int i = grid.thread_rank(), size = grid.size();
  for (int phase = 0; phase < 3; ++phase) {
    cells[i] = i + phase; //~ gridPhases: race-blocks
    if (fixed)
      grid.sync();
    else
      cg::this_thread_block().sync();
    out[i] += cells[(i + kThreads) % size]; //~ gridPhases: race-blocks
    grid.sync();
  }
}

// The grid's sum: blocks leave theirs, and the first one adds them up in the same phase.
__global__ void gridSum(int *in, int *sums, bool fixed) {
  __shared__ int parts[kWarps];
  const auto grid = cg::this_grid();
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<kWarp>(block);
  const int sum = cg::reduce(warp, in[grid.thread_rank()], cg::plus<int>());
  if (warp.thread_rank() == 0)
    parts[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0)
    for (int part : parts)
      sums[blockIdx.x] += part; //~ gridSum: race-blocks
  if (fixed)
    grid.sync();
  if (grid.thread_rank() == 0)
    for (int b = 1; b < kBlocks; ++b)
      sums[0] += sums[b]; //~ gridSum: race-blocks
}

// Between arriving at the grid's barrier and waiting for it, what others store in front of it is read. What
// stands there counts as of the phase behind.
__global__ void gridBetween(int *cells, int *out, bool fixed) {
  const auto grid = cg::this_grid();
  const int i = grid.thread_rank(), size = grid.size();
  cells[i] = i; //~ gridBetween: race-blocks nowhere
  auto token = grid.barrier_arrive();
  if (!fixed)
    out[i] = cells[(i + kThreads) % size]; //~ gridBetween: race-blocks nowhere
  grid.barrier_wait(std::move(token));
  if (fixed)
    out[i] = cells[(i + kThreads) % size];
}

template <typename Kernel> void launchGrid(Kernel *kernel, bool fixed) {
  const DeviceArray<int> in(numbers(kPlain)), out(kPlain);
  int *from = in, *to = out;
  void *arguments[] = {&from, &to, &fixed};
  cudaLaunchCooperativeKernel(kernel, dim3(kBlocks), dim3(kThreads), arguments, 0, nullptr);
}

#define GRID_CASE(KERNEL) {#KERNEL, [](bool fixed) { launchGrid(KERNEL, fixed); }}
#define COUNT_CASE(KERNEL)                                                                                   \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> in(numbers(kPlain)), out(kPlain), count(1);                                      \
     KERNEL<<<kBlocks, kThreads>>>(in, out, count, fixed);                                                   \
   }}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(tileTree8, 1, kThreads),
                       PLAIN_CASE(tileTree32, 1, kThreads),
                       PLAIN_CASE(tileScan, 1, kThreads),
                       PLAIN_CASE(tileTooSmall, 1, kThreads),
                       PLAIN_CASE(tileSums, 1, kThreads),
                       PLAIN_CASE(tileSumsAgain, 1, kThreads),
                       PLAIN_CASE(warpTotal, 1, kThreads),
                       COUNT_CASE(aggregated),
                       COUNT_CASE(aggregatedPlace),
                       PLAIN_CASE(labeled, 1, kWarp),
                       PLAIN_CASE(labeledSync, 1, kWarp),
                       PLAIN_CASE(binary, 1, kWarp),
                       PLAIN_CASE(tileOfWarps, 1, kThreads),
                       PLAIN_CASE(copied, 1, kThreads),
                       GRID_CASE(gridPhases),
                       GRID_CASE(gridSum),
                       GRID_CASE(gridBetween),
                   });
}

// Warps of one block that hand on data without a barrier of the block between, or behind the wrong one.
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kWarp = 32, kWarps = kThreads / kWarp;

// Nothing stands between writing and reading the other end.
__global__ void reversal(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t]; //~ reversal: race-warps
  if (fixed)
    __syncthreads();
  out[t] = cells[kThreads - 1 - t]; //~ reversal: race-warps
}

// Each warp waits for itself, and reads what the next one writes.
__global__ void rotation(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t]; //~ rotation: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  out[t] = cells[(t + kWarp) % kThreads]; //~ rotation: race-warps
}

// Neighbours are read without a barrier: within a warp, and from the warps beside it.
__global__ void average(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads + 2];
  const int t = threadIdx.x;
  if (t == 0)
    cells[0] = 0;
  if (t == kThreads - 1)
    cells[kThreads + 1] = 0;
  cells[t + 1] = in[t]; //~ average: race-lanes; average: race-warps
  if (fixed)
    __syncthreads();
  out[t] = (cells[t] + cells[t + 2]) / 2; //~ average: race-lanes; average: race-warps
}

// One thread reads for all, and the other warps don't wait for it.
__global__ void broadcast(const int *in, int *out, bool fixed) {
  __shared__ int base;
  const int t = threadIdx.x;
  if (t == 0)
    base = in[kThreads]; //~ broadcast: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  out[t] = base + t; //~ broadcast: race-warps
}

// The next value may come before all warps have read this one.
__global__ void broadcastAgain(const int *in, int *out, bool fixed) {
  __shared__ int value;
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (t == 0)
      value = in[i]; //~ broadcastAgain: race-warps
    __syncthreads();
    sum += value; //~ broadcastAgain: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  out[t] = sum;
}

// The next tile overwrites this one, which other warps may still add up.
__global__ void tiles(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int first = 0; first < 4 * kThreads; first += kThreads) {
    tile[t] = in[first + t]; //~ tiles: race-warps
    __syncthreads();
    for (int i = 0; i < kWarps; ++i)
      sum += tile[i * kWarp + t % kWarp]; //~ tiles: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  out[t] = sum;
}

// The barrier stands in front of the stores, where it should stand behind them.
__global__ void barrierTooEarly(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  if (!fixed)
    __syncthreads();
  cells[t] = in[t]; //~ barrierTooEarly: race-warps
  if (fixed)
    __syncthreads();
  out[t] = cells[kThreads - 1 - t]; //~ barrierTooEarly: race-warps
}

// The first warp makes what the second one takes.
__global__ void makerAndTaker(const int *in, int *out, bool fixed) {
  __shared__ int cells[kWarp];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (warp == 0)
    cells[lane] = 3 * in[lane]; //~ makerAndTaker: race-warps
  if (fixed)
    __syncthreads();
  if (warp == 1)
    out[lane] = cells[lane]; //~ makerAndTaker: race-warps
}

// A fence of the block makes nobody wait.
__global__ void fenceForBarrier(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t]; //~ fenceForBarrier: race-warps
  if (fixed)
    __syncthreads();
  else
    __threadfence_block();
  out[t] = cells[t ^ 96]; //~ fenceForBarrier: race-warps
}

// Bins may be counted into before the first warp has cleared them.
__global__ void binsNotCleared(const int *in, int *out, bool fixed) {
  __shared__ int bins[kWarp];
  const int t = threadIdx.x;
  if (t < kWarp)
    bins[t] = 0; //~ binsNotCleared: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  atomicAdd(&bins[in[t] % kWarp], 1); //~ binsNotCleared: race-warps
  __syncthreads();
  if (t < kWarp)
    out[t] = bins[t];
}

// Bins may be read before the other warps have counted.
__global__ void binsNotCounted(const int *in, int *out, bool fixed) {
  __shared__ int bins[kWarp];
  const int t = threadIdx.x;
  if (t < kWarp)
    bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] % kWarp], 1); //~ binsNotCounted: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  if (t < kWarp)
    out[t] = bins[t]; //~ binsNotCounted: race-warps
}

// Warps count in one cell, and not atomically.
__global__ void plainCount(const int *in, int *out, bool fixed) {
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0)
    count = 0;
  __syncthreads();
  const unsigned odd = __ballot_sync(0xffffffff, in[t] & 1);
  if (t % kWarp == 0) {
    if (fixed)
      atomicAdd(&count, __popc(odd));
    else
      count += __popc(odd); //~ plainCount: race-warps
  }
  __syncthreads();
  if (t == 0)
    out[0] = count;
}

// Threads of all warps store the same number to a flag.
__global__ void sameFlag(const int *in, int *out, bool fixed) {
  __shared__ int found;
  const int t = threadIdx.x;
  if (t == 0)
    found = 0;
  __syncthreads();
  if (in[t] % kWarp == 7) {
    if (fixed)
      atomicExch(&found, 1);
    else
      found = 1; //~ sameFlag: race-warps
  }
  __syncthreads();
  out[t] = found;
}

// The barrier of the flag's readers is missing: the next round clears it.
__global__ void clearedFlag(const int *in, int *out, bool fixed) {
  __shared__ int found;
  const int t = threadIdx.x;
  int rounds = 0;
  for (int round = 0; round < 3; ++round) {
    if (t == 0)
      found = 0; //~ clearedFlag: race-warps
    __syncthreads();
    if (in[t] == 40 + round)
      atomicOr(&found, 1);
    __syncthreads();
    rounds += found; //~ clearedFlag: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  out[t] = rounds;
}

// Warps exchange through global memory.
__global__ void warpsThroughGlobal(const int *in, int *between, int *out, bool fixed) {
  const int t = threadIdx.x;
  between[t] = in[t] + 1; //~ warpsThroughGlobal: race-warps
  if (fixed)
    __syncthreads();
  out[t] = between[kThreads - 1 - t]; //~ warpsThroughGlobal: race-warps
}

// Each warp writes one element into the next one's part of the result.
__global__ void partsOverlap(const int *in, int *out, bool fixed) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const int length = fixed ? kWarp : kWarp - 1;
  out[warp * length + lane] = in[threadIdx.x]; //~ partsOverlap: race-warps
}

// The warps' parts are held apart by the lane where it should be the warp.
__global__ void wrongPart(const int *in, int *out, bool fixed) {
  __shared__ int parts[kThreads];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  int *part = parts + (fixed ? warp * kWarp : 0);
  part[lane] = in[threadIdx.x]; //~ wrongPart: race-warps
  __syncwarp();
  out[threadIdx.x] = part[lane ^ 1]; //~ wrongPart: race-warps
}

// Tiles of a warp wait where the block should.
__global__ void tileSync(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<kWarp>(block);
  const int t = threadIdx.x;
  cells[t] = in[t]; //~ tileSync: race-warps
  if (fixed)
    block.sync();
  else
    warp.sync();
  out[t] = cells[t ^ 32]; //~ tileSync: race-warps
}

// A square of 16 rows is read by columns: only what a warp has written itself is ordered.
__global__ void transpose(const int *in, int *out, bool fixed) {
  __shared__ int tile[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  tile[y][x] = in[16 * y + x]; //~ transpose: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  out[16 * y + x] = tile[x][y]; //~ transpose: race-warps
}

// Dynamic shared memory has two arrays, and the second begins within the first.
__global__ void arraysOverlap(const int *in, int *out, bool fixed) {
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  int *first = dynamic, *second = dynamic + (fixed ? kThreads : kThreads - kWarp);
  first[t] = in[t]; //~ arraysOverlap: race-warps
  second[t] = -t;   //~ arraysOverlap: race-warps
  __syncthreads();
  out[t] = first[t ^ 1] + second[t ^ 1];
}

// A number of 8 bytes is stored by one warp, and its upper half read by another.
__global__ void upperHalf(const int *in, int *out, bool fixed) {
  __shared__ long long cells[kWarp];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (warp == 1)
    cells[lane] = static_cast<long long>(in[lane]) << 32; //~ upperHalf: race-warps
  if (fixed)
    __syncthreads();
  if (warp == 0)
    out[lane] = reinterpret_cast<const int *>(cells)[2 * lane + 1]; //~ upperHalf: race-warps
}

// A function of the device writes what its caller reads.
__device__ __noinline__ void fillCells(int *cells, int value) {
  cells[threadIdx.x] = value; //~ filledByFunction: race-warps
}

// The function that fills the cells has no barrier at its end, and neither has its caller.
__global__ void filledByFunction(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  fillCells(cells, in[t]);
  if (fixed)
    __syncthreads();
  out[t] = cells[kThreads - 1 - t]; //~ filledByFunction: race-warps
}

// Slices of a block with three dimensions: those of z are in different warps.
__global__ void slices(const int *in, int *out, bool fixed) {
  __shared__ int cells[2][8][8];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, t = (z * 8 + y) * 8 + x;
  cells[z][y][x] = in[t]; //~ slices: race-warps
  if (fixed)
    __syncthreads();
  out[t] = cells[1 - z][y][x]; //~ slices: race-warps
}

// One warp has left; the others wait without it, or not at all.
__global__ void leftEarly(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  if (t < kWarp)
    return;
  cells[t] = in[t]; //~ leftEarly: race-warps
  if (fixed)
    __syncthreads();
  out[t] = cells[t < kThreads - kWarp ? t + kWarp : t - 2 * kWarp]; //~ leftEarly: race-warps
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(reversal, 1, kThreads),
                       PLAIN_CASE(rotation, 1, kThreads),
                       PLAIN_CASE(average, 1, kThreads),
                       PLAIN_CASE(broadcast, 1, kThreads),
                       PLAIN_CASE(broadcastAgain, 1, kThreads),
                       PLAIN_CASE(tiles, 1, kThreads),
                       PLAIN_CASE(barrierTooEarly, 1, kThreads),
                       PLAIN_CASE(makerAndTaker, 1, kThreads),
                       PLAIN_CASE(fenceForBarrier, 1, kThreads),
                       PLAIN_CASE(binsNotCleared, 1, kThreads),
                       PLAIN_CASE(binsNotCounted, 1, kThreads),
                       PLAIN_CASE(plainCount, 1, kThreads),
                       PLAIN_CASE(sameFlag, 1, kThreads),
                       PLAIN_CASE(clearedFlag, 1, kThreads),
                       PLAIN_CASE(partsOverlap, 1, kThreads),
                       PLAIN_CASE(wrongPart, 1, kThreads),
                       PLAIN_CASE(tileSync, 1, kThreads),
                       PLAIN_CASE(transpose, 1, 256),
                       PLAIN_CASE(upperHalf, 1, 2 * kWarp),
                       PLAIN_CASE(filledByFunction, 1, kThreads),
                       PLAIN_CASE(slices, 1, dim3(8, 8, 2)),
                       PLAIN_CASE(leftEarly, 1, kThreads),
                       {"warpsThroughGlobal",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kThreads)), between(kThreads), out(kThreads);
                          warpsThroughGlobal<<<1, kThreads>>>(in, between, out, fixed);
                        }},
                       {"arraysOverlap",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kThreads)), out(kThreads);
                          arraysOverlap<<<1, kThreads, 2 * kThreads * sizeof(int)>>>(in, out, fixed);
                        }},
                   });
}

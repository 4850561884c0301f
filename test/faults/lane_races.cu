// Lanes of one warp that count on being in step: since Volta nothing but __syncwarp, with a mask that holds
// both, or a barrier of the block orders what they do.
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 64, kWarp = 32;

// Each lane reads its neighbour's cell before the neighbour need have written it.
__global__ void neighbour(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t]; //~ neighbour: race-lanes
  if (fixed)
    __syncwarp();
  out[t] = cells[t ^ 1]; //~ neighbour: race-lanes
}

// Each lane overwrites its cell before the neighbour need have read it.
__global__ void overwritten(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t];
  __syncwarp();
  const int old = cells[t ^ 1]; //~ overwritten: race-lanes
  if (fixed)
    __syncwarp();
  cells[t] = 2 * old; //~ overwritten: race-lanes
  __syncwarp();
  out[t] = cells[t ^ 2];
}

// All lanes of a warp store to one cell, in one instruction.
__global__ void oneCell(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads / kWarp];
  const int t = threadIdx.x, lane = t % kWarp;
  if (!fixed || lane == 0)
    cells[t / kWarp] = in[t]; //~ oneCell: race-lanes
  __syncwarp();
  out[t] = cells[t / kWarp];
}

// All lanes store the block's result, instead of one.
__global__ void oneResult(const int *in, int *out, bool fixed) {
  if (!fixed || threadIdx.x == 0)
    out[blockIdx.x] = in[blockIdx.x]; //~ oneResult: race-lanes
}

// Two lanes have one cell between them.
__global__ void halvedIndex(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (!fixed || t % 2 == 0)
    out[t / 2] = in[t]; //~ halvedIndex: race-lanes
}

// The halves of a warp wait for themselves only, and read from the other one.
__global__ void halfMasks(const int *in, int *out, bool fixed) {
  __shared__ int cells[kWarp];
  const int lane = threadIdx.x;
  cells[lane] = in[lane]; //~ halfMasks: race-lanes
  if (fixed)
    __syncwarp();
  else if (lane < 16)
    __syncwarp(0x0000ffff);
  else
    __syncwarp(0xffff0000);
  out[lane] = cells[lane ^ 16]; //~ halfMasks: race-lanes
}

// The mask holds those who write, and not those who read.
__global__ void writersMask(const int *in, int *out, bool fixed) {
  __shared__ int cells[kWarp];
  const int lane = threadIdx.x;
  if (lane < 16) {
    cells[lane] = in[lane]; //~ writersMask: race-lanes
    if (!fixed)
      __syncwarp(0x0000ffff);
  }
  if (fixed)
    __syncwarp();
  if (lane >= 16)
    out[lane] = cells[lane - 16]; //~ writersMask: race-lanes
}

// A shuffle makes lanes meet, and orders no memory.
__global__ void shuffled(const int *in, int *out, bool fixed) {
  __shared__ int cells[kWarp];
  const int lane = threadIdx.x;
  const int value = in[lane];
  cells[lane] = value; //~ shuffled: race-lanes
  const int sum = value + __shfl_xor_sync(0xffffffff, value, 1);
  if (fixed)
    __syncwarp();
  out[lane] = sum + cells[kWarp - 1 - lane]; //~ shuffled: race-lanes
}

// A vote orders no memory, either.
__global__ void voted(const int *in, int *out, bool fixed) {
  __shared__ int cells[kWarp];
  const int lane = threadIdx.x;
  const int value = in[lane];
  cells[lane] = value; //~ voted: race-lanes
  const unsigned odd = __ballot_sync(0xffffffff, value & 1);
  if (fixed)
    __syncwarp();
  out[lane] = cells[lane ^ 5] + __popc(odd); //~ voted: race-lanes
}

// The last steps of a sum by a tree, without what orders them.
__global__ void warpTree(const int *in, int *out, bool fixed) {
  __shared__ int part[kWarp];
  const int lane = threadIdx.x;
  part[lane] = in[lane];
  __syncwarp();
  for (int step = kWarp / 2; step > 0; step /= 2) {
    if (lane < step)
      part[lane] += part[lane + step]; //~ warpTree: race-lanes
    if (fixed)
      __syncwarp();
  }
  if (lane == 0)
    out[0] = part[0];
}

// A scan in place, whose lanes may add to a cell before the lane to the right has read it.
__global__ void warpScan(const int *in, int *out, bool fixed) {
  __shared__ int cells[kWarp];
  const int lane = threadIdx.x;
  cells[lane] = in[lane];
  __syncwarp();
  for (int distance = 1; distance < kWarp; distance *= 2) {
    int left = 0;
    if (lane >= distance)
      left = cells[lane - distance]; //~ warpScan: race-lanes
    if (fixed)
      __syncwarp();
    cells[lane] += left; //~ warpScan: race-lanes
    __syncwarp();
  }
  out[lane] = cells[lane];
}

// A tile of 8 rows and 4 columns is read by columns before it need have been written.
__global__ void warpTranspose(const int *in, int *out, bool fixed) {
  __shared__ int tile[8][4];
  const int lane = threadIdx.x;
  tile[lane / 4][lane % 4] = in[lane]; //~ warpTranspose: race-lanes
  if (fixed)
    __syncwarp();
  out[lane] = tile[lane % 8][lane / 8]; //~ warpTranspose: race-lanes
}

// Lanes hand on values through global memory.
__global__ void throughGlobal(const int *in, int *between, int *out, bool fixed) {
  const int t = threadIdx.x;
  between[t] = in[t] + 1; //~ throughGlobal: race-lanes
  if (fixed)
    __syncwarp();
  out[t] = between[t ^ 3]; //~ throughGlobal: race-lanes
}

// The first lane reads what the others may still be counting.
__global__ void countedBesides(const int *in, int *out, bool fixed) {
  __shared__ int odd;
  const int lane = threadIdx.x;
  if (lane == 0)
    odd = 0;
  __syncwarp();
  if (in[lane] & 1)
    atomicAdd(&odd, 1); //~ countedBesides: race-lanes
  if (fixed)
    __syncwarp();
  if (lane == 0)
    out[0] = odd; //~ countedBesides: race-lanes
}

// The counter is cleared while other lanes may be counting.
__global__ void clearedBesides(const int *in, int *out, bool fixed) {
  __shared__ int odd;
  const int lane = threadIdx.x;
  if (lane == 0)
    odd = 0; //~ clearedBesides: race-lanes
  if (fixed)
    __syncwarp();
  if (in[lane] & 1)
    atomicAdd(&odd, 1); //~ clearedBesides: race-lanes
  __syncwarp();
  if (lane == 0)
    out[0] = odd;
}

// Odd lanes read one byte of the number that the even lane beside them stores.
__global__ void partOfNumber(const int *in, int *out, bool fixed) {
  __shared__ int cells[kWarp];
  const int lane = threadIdx.x;
  if (lane % 2 == 0)
    cells[lane] = in[lane]; //~ partOfNumber: race-lanes
  if (fixed)
    __syncwarp();
  if (lane % 2 == 1)
    out[lane] =
        reinterpret_cast<const unsigned char *>(cells)[4 * (lane - 1) + 1]; //~ partOfNumber: race-lanes
}

// Lanes add to the same bins, and don't do so atomically.
__global__ void warpHistogram(const int *in, int *out, bool fixed) {
  __shared__ int bins[4];
  const int lane = threadIdx.x;
  if (lane < 4)
    bins[lane] = 0;
  __syncwarp();
  const int bin = in[lane] % 4;
  if (fixed)
    atomicAdd(&bins[bin], 1);
  else
    bins[bin] += 1; //~ warpHistogram: race-lanes
  __syncwarp();
  if (lane < 4)
    out[lane] = bins[lane];
}

// The first lane takes a place in the result for its warp; the others read it at once.
__global__ void warpPlace(const int *in, int *taken, int *out, bool fixed) {
  __shared__ int first[kThreads / kWarp];
  const int t = threadIdx.x, warp = t / kWarp, lane = t % kWarp;
  if (lane == 0)
    first[warp] = atomicAdd(taken, kWarp); //~ warpPlace: race-lanes
  if (fixed)
    __syncwarp();
  out[t] = first[warp] + lane + in[t]; //~ warpPlace: race-lanes
}

// One lane's store is volatile, the others' loads are not.
__global__ void volatileStore(const int *in, int *out, bool fixed) {
  __shared__ int cell;
  const int lane = threadIdx.x;
  if (lane == 0)
    *const_cast<volatile int *>(&cell) = in[0]; //~ volatileStore: race-lanes
  if (fixed)
    __syncwarp();
  out[lane] = cell + lane; //~ volatileStore: race-lanes
}

// Tiles of 16 threads wait for themselves, and read from the other tile of their warp.
__global__ void smallTiles(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  const auto block = cg::this_thread_block();
  cells[t] = in[t]; //~ smallTiles: race-lanes
  if (fixed)
    cg::tiled_partition<32>(block).sync();
  else
    cg::tiled_partition<16>(block).sync();
  out[t] = cells[t ^ 16]; //~ smallTiles: race-lanes
}

// Rows of a block with three dimensions: two of y are in one warp.
__global__ void rowsOfWarp(const int *in, int *out, bool fixed) {
  __shared__ int cells[2][4][8];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, t = (z * 4 + y) * 8 + x;
  cells[z][y][x] = in[t]; //~ rowsOfWarp: race-lanes
  if (fixed)
    __syncwarp();
  out[t] = cells[z][3 - y][x]; //~ rowsOfWarp: race-lanes
}

// The last warp is half a warp, whose lanes don't wait, either.
__global__ void partialWarp(const int *in, int *out, bool fixed) {
  __shared__ int cells[48];
  const int t = threadIdx.x;
  cells[t] = in[t];
  __syncwarp();
  const int other = cells[t ^ 8]; //~ partialWarp: race-lanes
  if (fixed || t < kWarp)
    __syncwarp();
  cells[t] = other + 1; //~ partialWarp: race-lanes
  __syncwarp();
  out[t] = cells[t ^ 1];
}

// Every fourth lane stores for itself and three others, which read at once.
__global__ void storedForOthers(const int *in, int *out, bool fixed) {
  __shared__ int4 vectors[kWarp / 4];
  const int lane = threadIdx.x;
  if (lane % 4 == 0)
    vectors[lane / 4] = make_int4(in[lane], 1, 2, 3); //~ storedForOthers: race-lanes
  if (fixed)
    __syncwarp();
  out[lane] = reinterpret_cast<const int *>(vectors)[lane]; //~ storedForOthers: race-lanes
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(neighbour, 1, kThreads),
                       PLAIN_CASE(overwritten, 1, kThreads),
                       PLAIN_CASE(oneCell, 1, kThreads),
                       PLAIN_CASE(oneResult, 1, kWarp),
                       PLAIN_CASE(halvedIndex, 1, kThreads),
                       PLAIN_CASE(halfMasks, 1, kWarp),
                       PLAIN_CASE(writersMask, 1, kWarp),
                       PLAIN_CASE(shuffled, 1, kWarp),
                       PLAIN_CASE(voted, 1, kWarp),
                       PLAIN_CASE(warpTree, 1, kWarp),
                       PLAIN_CASE(warpScan, 1, kWarp),
                       PLAIN_CASE(warpTranspose, 1, kWarp),
                       PLAIN_CASE(countedBesides, 1, kWarp),
                       PLAIN_CASE(clearedBesides, 1, kWarp),
                       PLAIN_CASE(partOfNumber, 1, kWarp),
                       PLAIN_CASE(warpHistogram, 1, kWarp),
                       PLAIN_CASE(volatileStore, 1, kWarp),
                       PLAIN_CASE(smallTiles, 1, kThreads),
                       PLAIN_CASE(rowsOfWarp, 1, dim3(8, 4, 2)),
                       PLAIN_CASE(partialWarp, 1, 48),
                       PLAIN_CASE(storedForOthers, 1, kWarp),
                       {"throughGlobal",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kThreads)), between(kThreads), out(kThreads);
                          throughGlobal<<<1, kThreads>>>(in, between, out, fixed);
                        }},
                       {"warpPlace",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kThreads)), taken(1), out(kThreads);
                          warpPlace<<<1, kThreads>>>(in, taken, out, fixed);
                        }},
                   });
}

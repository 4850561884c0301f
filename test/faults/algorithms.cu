// Algorithms of a block as people write them, with one barrier taken away. Each warp still waits for itself,
// so that what is left is between warps.
#include "cases.h"

#include <cfloat>

constexpr int kThreads = 128, kWarp = 32, kWarps = kThreads / kWarp;

// A sum by a tree, whose steps don't wait for each other.
__global__ void treeSteps(const int *in, int *out, bool fixed) {
  __shared__ int part[kThreads];
  const int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step)
      part[t] += part[t + step]; //~ treeSteps: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  if (t == 0)
    out[0] = part[0];
}

// A sum by a tree, which begins before all numbers are there.
__global__ void treeBegin(const int *in, int *out, bool fixed) {
  __shared__ int part[kThreads];
  const int t = threadIdx.x;
  part[t] = in[t]; //~ treeBegin: race-warps
  if (fixed)
    __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step)
      part[t] += part[t + step]; //~ treeBegin: race-warps
    __syncthreads();
  }
  if (t == 0)
    out[0] = part[0];
}

// The sum of all threads is read by them before the tree is through.
__global__ void treeEnd(const int *in, int *out, bool fixed) {
  __shared__ int part[kThreads];
  const int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (int step = kThreads / 2; step > 1; step /= 2) {
    if (t < step)
      part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0)
    part[0] += part[1]; //~ treeEnd: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  out[t] = in[t] - part[0]; //~ treeEnd: race-warps
}

// The last warp's steps unrolled: lanes add what others may have added to already.
__global__ void unrolledTree(const int *in, int *out, bool fixed) {
  __shared__ int part[2 * kWarp];
  const int t = threadIdx.x;
  part[t] = in[t];
  part[t + kWarp] = in[t + kWarp];
  __syncwarp();
  int sum = part[t];
  for (int step = kWarp; step > 0; step /= 2) {
    sum += part[t + step]; //~ unrolledTree: race-lanes
    if (fixed)
      __syncwarp();
    part[t] = sum; //~ unrolledTree: race-lanes
    __syncwarp();
  }
  if (t == 0)
    out[0] = part[0];
}

// The first warp adds up the warps' sums without waiting for them.
__global__ void warpSums(const int *in, int *out, bool fixed) {
  __shared__ int sums[kWarps];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const int sum = __reduce_add_sync(0xffffffff, in[threadIdx.x]);
  if (lane == 0)
    sums[warp] = sum; //~ warpSums: race-warps
  if (fixed)
    __syncthreads();
  if (warp == 0 && lane == 0) {
    int total = 0;
    for (int i = 0; i < kWarps; ++i)
      total += sums[i]; //~ warpSums: race-warps
    out[0] = total;
  }
}

__device__ float warpMaximum(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;
}

__device__ float warpSum(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

// The sums of a softmax go where slower warps may still look for the maximum.
__global__ void softmax(const int *in, int *out, bool fixed) {
  __shared__ float scratch[kWarps];
  const int t = threadIdx.x, warp = t / kWarp, lane = t % kWarp;
  const float value = in[t] * 0.01f, ofWarp = warpMaximum(value);
  if (lane == 0)
    scratch[warp] = ofWarp;
  __syncthreads();
  float maximum = -FLT_MAX;
  for (int i = 0; i < kWarps; ++i)
    maximum = fmaxf(maximum, scratch[i]); //~ softmax: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  const float power = __expf(value - maximum), sumOfWarp = warpSum(power);
  if (lane == 0)
    scratch[warp] = sumOfWarp; //~ softmax: race-warps
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kWarps; ++i)
    sum += scratch[i];
  out[t] = static_cast<int>(1000 * power / sum);
}

constexpr int kTile = 16, kMatrix = 32;

// A product of matrices by tiles: rows of b are used before other warps have loaded them.
__global__ void productLoads(const int *in, int *out, bool fixed) {
  __shared__ int a[kTile][kTile], b[kTile][kTile];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  int sum = 0;
  for (int first = 0; first < kMatrix; first += kTile) {
    a[y][x] = in[y * kMatrix + first + x];
    b[y][x] = in[(first + y) * kMatrix + x]; //~ productLoads: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
    for (int k = 0; k < kTile; ++k)
      sum += a[y][k] * b[k][x]; //~ productLoads: race-warps
    __syncthreads();
  }
  out[y * kTile + x] = sum;
}

// A product of matrices by tiles: the next tile of b is loaded while other warps use this one.
__global__ void productOverwrites(const int *in, int *out, bool fixed) {
  __shared__ int a[kTile][kTile], b[kTile][kTile];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  int sum = 0;
  for (int first = 0; first < kMatrix; first += kTile) {
    a[y][x] = in[y * kMatrix + first + x];
    b[y][x] = in[(first + y) * kMatrix + x]; //~ productOverwrites: race-warps
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += a[y][k] * b[k][x]; //~ productOverwrites: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  out[y * kTile + x] = sum;
}

// Each warp has a histogram, and they are added up before all warps have counted.
__global__ void histograms(const int *in, int *out, bool fixed) {
  __shared__ int bins[kWarps][kWarp];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  bins[warp][lane] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * kThreads; i += kThreads)
    atomicAdd(&bins[warp][in[i] % kWarp], 1); //~ histograms: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  if (warp == 0) {
    int sum = 0;
    for (int i = 0; i < kWarps; ++i)
      sum += bins[i][lane]; //~ histograms: race-warps
    out[lane] = sum;
  }
}

// A scan with two buffers, whose steps don't wait for each other.
__global__ void scanBuffers(const int *in, int *out, bool fixed) {
  __shared__ int cells[2][kThreads];
  const int t = threadIdx.x;
  int from = 0;
  cells[0][t] = in[t];
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    int sum = cells[from][t];
    if (t >= distance)
      sum += cells[from][t - distance]; //~ scanBuffers: race-warps
    from = 1 - from;
    cells[from][t] = sum; //~ scanBuffers: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  out[t] = cells[from][t];
}

// A scan in place, whose threads add before those to the right have read.
__global__ void scanInPlace(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t];
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    int left = 0;
    if (t >= distance)
      left = cells[t - distance]; //~ scanInPlace: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
    cells[t] += left; //~ scanInPlace: race-warps
    __syncthreads();
  }
  out[t] = cells[t];
}

// The way up of a scan by a tree, without its barriers.
__global__ void scanUp(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t];
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    const int at = 2 * stride * (t + 1) - 1;
    if (at < kThreads)
      cells[at] += cells[at - stride]; //~ scanUp: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  __syncthreads();
  out[t] = cells[t];
}

// A bitonic sort, whose steps don't wait for each other.
__global__ void bitonicSort(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t] * 37 % 101;
  __syncthreads();
  for (int length = 2; length <= kThreads; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      const int other = t ^ distance;
      if (other > t) {
        const int a = cells[t], b = cells[other]; //~ bitonicSort: race-warps
        const bool ascends = (t & length) == 0;
        cells[t] = ascends ? min(a, b) : max(a, b);     //~ bitonicSort: race-warps
        cells[other] = ascends ? max(a, b) : min(a, b); //~ bitonicSort: race-warps
      }
      if (fixed)
        __syncthreads();
      else
        __syncwarp();
    }
  }
  __syncthreads();
  out[t] = cells[t];
}

// A game of life on a torus, whose generations don't wait for each other.
__global__ void gameOfLife(const int *in, int *out, bool fixed) {
  constexpr int kSide = 16;
  __shared__ int cells[2][kSide][kSide];
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const int above = (y + kSide - 1) % kSide, below = (y + 1) % kSide;
  int from = 0;
  cells[0][y][x] = in[threadIdx.x] % 3 == 0;
  __syncthreads();
  for (int generation = 0; generation < 4; ++generation) {
    const int around = cells[from][above][x] + cells[from][below][x]; //~ gameOfLife: race-warps
    from = 1 - from;
    cells[from][y][x] = around == 1; //~ gameOfLife: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  out[threadIdx.x] = cells[from][y][x];
}

// The shortest way down, by rows: a row is overwritten while its neighbours are still to be read.
__global__ void pathFinder(const int *in, int *out, bool fixed) {
  __shared__ int way[kThreads];
  const int t = threadIdx.x, left = max(t - 1, 0), right = min(t + 1, kThreads - 1);
  way[t] = in[t];
  __syncthreads();
  for (int row = 1; row < 4; ++row) {
    const int shortest = min(way[left], way[right]); //~ pathFinder: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
    way[t] = shortest + in[row * kThreads + t]; //~ pathFinder: race-warps
    __syncthreads();
  }
  out[t] = way[t];
}

// An elimination by rows: the first row is used before it has been divided by its first number.
__global__ void elimination(const int *in, int *out, bool fixed) {
  constexpr int kColumns = 4;
  __shared__ float rows[kThreads][kColumns];
  const int t = threadIdx.x;
  for (int column = 0; column < kColumns; ++column)
    rows[t][column] = 1 + in[(t * 7 + column * 5) % kThreads];
  __syncthreads();
  if (t == 0)
    for (int column = kColumns - 1; column >= 0; --column)
      rows[0][column] /= rows[0][0]; //~ elimination: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  if (t > 0) {
    const float factor = rows[t][0];
    for (int column = 0; column < kColumns; ++column)
      rows[t][column] -= factor * rows[0][column]; //~ elimination: race-warps
  }
  out[t] = static_cast<int>(rows[t][kColumns - 1]);
}

// A table is looked up while other warps make it.
__global__ void lookUp(const int *in, int *out, bool fixed) {
  __shared__ int table[kThreads];
  const int t = threadIdx.x;
  table[t] = t * t; //~ lookUp: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  out[t] = table[(in[t] * 37 + 64) % kThreads]; //~ lookUp: race-warps
}

// Threads take what others put into the block's queue, before the queue is complete.
__global__ void blockQueue(const int *in, int *out, bool fixed) {
  __shared__ int queue[kThreads], size;
  const int t = threadIdx.x;
  if (t == 0)
    size = 0;
  __syncthreads();
  int place = 0;
  for (int warp = 0; warp < kWarps; ++warp) { // so that places are those of the warps, from the last one on
    if (kWarps - 1 - t / kWarp == warp)
      place = atomicAdd(&size, 1);
    __syncthreads();
  }
  queue[place] = in[t]; //~ blockQueue: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  out[t] = queue[t]; //~ blockQueue: race-warps
}

// A convolution, for which the last warp loads the halo of all.
__global__ void convolution(const int *in, int *out, bool fixed) {
  constexpr int kRadius = 4;
  __shared__ int cells[kThreads + 2 * kRadius], weights[2 * kRadius + 1];
  const int t = threadIdx.x, last = t - (kThreads - kWarp);
  cells[t + kRadius] = in[t];
  if (last >= 0 && last < kRadius) {
    cells[last] = in[last];
    cells[kThreads + kRadius + last] = in[kThreads + last];
  }
  __syncthreads();
  if (last >= 0 && last <= 2 * kRadius)
    weights[last] = 1 + last % 3; //~ convolution: race-warps
  if (fixed)
    __syncthreads();
  else
    __syncwarp();
  int sum = 0;
  for (int i = 0; i <= 2 * kRadius; ++i)
    sum += weights[i] * cells[t + i]; //~ convolution: race-warps
  out[t] = sum;
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(treeSteps, 1, kThreads),
                       PLAIN_CASE(treeBegin, 1, kThreads),
                       PLAIN_CASE(treeEnd, 1, kThreads),
                       PLAIN_CASE(unrolledTree, 1, kWarp),
                       PLAIN_CASE(warpSums, 1, kThreads),
                       PLAIN_CASE(softmax, 1, kThreads),
                       PLAIN_CASE(productLoads, 1, kTile * kTile),
                       PLAIN_CASE(productOverwrites, 1, kTile * kTile),
                       PLAIN_CASE(histograms, 1, kThreads),
                       PLAIN_CASE(scanBuffers, 1, kThreads),
                       PLAIN_CASE(scanInPlace, 1, kThreads),
                       PLAIN_CASE(scanUp, 1, kThreads),
                       PLAIN_CASE(bitonicSort, 1, kThreads),
                       PLAIN_CASE(gameOfLife, 1, 256),
                       PLAIN_CASE(pathFinder, 1, kThreads),
                       PLAIN_CASE(elimination, 1, kThreads),
                       PLAIN_CASE(lookUp, 1, kThreads),
                       PLAIN_CASE(blockQueue, 1, kThreads),
                       PLAIN_CASE(convolution, 1, kThreads),
                   });
}

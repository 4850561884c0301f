/// Kernels whose bank conflicts are known, to be held against a GPU's counters (counters.py).
///
///     kernels NAME...     one launch of each
///     kernels             their names
///
/// Values are of no interest: what counts is where the threads of a warp access shared memory. Results go to global memory, so that
/// nothing is left out.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

#define CUDA(call)                                                                                           \
  if (const cudaError_t error = call; error != cudaSuccess) {                                                \
    std::fprintf(stderr, "kernels: %s: %s\n", #call, cudaGetErrorString(error));                             \
    std::exit(1);                                                                                            \
  }

constexpr int kThreads = 256, kBlocks = 4;

__device__ unsigned number(unsigned x) { // looks random
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

// Strides: of words, and the loads behind a barrier.

template <int Stride> __global__ void stride(float *out) {
  __shared__ float memory[kThreads * Stride];
  memory[threadIdx.x * Stride] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = memory[(kThreads - 1 - threadIdx.x) * Stride];
}

__global__ void broadcast(float *out) {
  __shared__ float memory[kThreads];
  memory[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 32; ++i)
    sum += memory[i];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void multicast(float *out) { // each word to four neighbours
  __shared__ float memory[kThreads];
  memory[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = memory[threadIdx.x / 4];
}

// Tiles that are turned.

template <typename T, int Pitch> __global__ void turn(T *out) {
  __shared__ T tile[32][Pitch];
  for (int row = threadIdx.y; row < 32; row += 8)
    tile[row][threadIdx.x] = T(row);
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8)
    out[(blockIdx.x * 32 + row) * 32 + threadIdx.x] = tile[threadIdx.x][row];
}

__global__ void turnSwizzled(float *out) {
  __shared__ float tile[32][32];
  for (int row = threadIdx.y; row < 32; row += 8)
    tile[row][threadIdx.x ^ row] = row;
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8)
    out[(blockIdx.x * 32 + row) * 32 + threadIdx.x] = tile[threadIdx.x][row ^ threadIdx.x];
}

// Blocks that are 16 threads wide: a warp has two rows.

template <int Pitch> __global__ void narrow(float *out) {
  __shared__ float tile[16][Pitch];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.y * 16 + threadIdx.x] = tile[15 - threadIdx.y][threadIdx.x];
}

template <int Pitch> __global__ void product(float *out) { // C = A B in tiles of 16 x 16
  __shared__ float a[16][Pitch], b[16][Pitch];
  float sum = 0;
  for (int step = 0; step < 4; ++step) {
    a[threadIdx.y][threadIdx.x] = out[threadIdx.y * 16 + threadIdx.x];
    b[threadIdx.x][threadIdx.y] = out[threadIdx.x * 16 + threadIdx.y];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 16; ++k)
      sum += a[threadIdx.y][k] * b[threadIdx.x][k];
    __syncthreads();
  }
  out[(blockIdx.x + 1) * kThreads + threadIdx.y * 16 + threadIdx.x] = sum;
}

// Vectors, whole: field by field, since clang makes two accesses of what is copied at once.

__device__ float sumOf(float2 v) { return v.x + v.y; }
__device__ float sumOf(float4 v) { return v.x + v.y + v.z + v.w; }
__device__ float sumOf(double2 v) { return float(v.x + v.y); }
__device__ void set(float2 &v, int n) { v = make_float2(n, n + 1); }
__device__ void set(float4 &v, int n) { v = make_float4(n, n + 1, n + 2, n + 3); }
__device__ void set(double2 &v, int n) { v = make_double2(n, n + 1); }

template <typename T> __global__ void vectors(float *out) {
  __shared__ T memory[kThreads];
  set(memory[threadIdx.x], threadIdx.x);
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = sumOf(memory[threadIdx.x ^ 3]);
}

template <typename T, int Threads> __global__ void vectorsShared(float *out) { // one for several neighbours
  __shared__ T memory[kThreads];
  set(memory[threadIdx.x], threadIdx.x);
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = sumOf(memory[threadIdx.x / Threads * Threads]);
}

template <typename T, int Pitch> __global__ void vectorColumns(float *out) {
  __shared__ T tile[32][Pitch];
  for (int i = threadIdx.x; i < 32 * 8; i += 32)
    set(tile[i / 8][i % 8], i);
  __syncthreads();
#pragma unroll 1
  for (int column = 0; column < 8; ++column)
    out[(blockIdx.x * 8 + column) * 32 + threadIdx.x] = sumOf(tile[threadIdx.x][column]);
}

__global__ void vectorColumnsSwizzled(float *out) {
  __shared__ float4 tile[32][8];
  for (int i = threadIdx.x; i < 32 * 8; i += 32)
    set(tile[i / 8][i % 8 ^ i / 8 % 8], i);
  __syncthreads();
#pragma unroll 1
  for (int column = 0; column < 8; ++column)
    out[(blockIdx.x * 8 + column) * 32 + threadIdx.x] = sumOf(tile[threadIdx.x][column ^ threadIdx.x % 8]);
}

// Small types.

template <typename T, int Stride> __global__ void small(T *out) {
  __shared__ T memory[kThreads * Stride];
  memory[threadIdx.x * Stride] = T(threadIdx.x);
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = memory[(threadIdx.x ^ 1) * Stride];
}

// Structures.

struct Three {
  float x, y, z;
};
struct Four {
  float x, y, z, w;
};
struct Five {
  float x, y, z, v, w;
};
struct Eight {
  float x, rest[7];
};

template <typename T> __global__ void structures(float *out) { // field by field
  __shared__ T memory[kThreads];
  memory[threadIdx.x].x = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = memory[threadIdx.x ^ 5].x;
}

__global__ void wholeStructures(Three *out) {
  __shared__ Three memory[kThreads];
  memory[threadIdx.x] = Three{float(threadIdx.x), 1, 2};
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = memory[threadIdx.x ^ 1];
}

// Reductions of a block.

__global__ void interleaved(float *out) {
  __shared__ float memory[kThreads];
  memory[threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma unroll 1
  for (unsigned s = 1; s < kThreads; s *= 2) {
    const unsigned at = 2 * s * threadIdx.x;
    if (at < kThreads)
      memory[at] += memory[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = memory[0];
}

__global__ void sequential(float *out) {
  __shared__ float memory[kThreads];
  memory[threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma unroll 1
  for (unsigned s = kThreads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s)
      memory[threadIdx.x] += memory[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = memory[0];
}

__global__ void rowsOfThreads(float *out) { // each thread a row of its own
  __shared__ float rows[64][64];
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    rows[threadIdx.x][i] = i;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    sum += rows[threadIdx.x][i];
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Atomics, and tables that data look up.

template <int Bins> __global__ void countBins(unsigned *out) { // adds 1, result unused
  __shared__ unsigned bins[Bins];
  for (int i = threadIdx.x; i < Bins; i += kThreads)
    bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[number(blockIdx.x * kThreads + threadIdx.x) % Bins], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < Bins; i += kThreads)
    out[blockIdx.x * Bins + i] = bins[i];
}

__global__ void addBins(unsigned *out) { // adds what varies
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[number(threadIdx.x) % 64], threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 64)
    out[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
}

__global__ void takePlaces(unsigned *out) { // results are used
  __shared__ unsigned places[32];
  if (threadIdx.x < 32)
    places[threadIdx.x] = 0;
  __syncthreads();
  const unsigned place = atomicAdd(&places[threadIdx.x % 8], 1u);
  out[blockIdx.x * kThreads + threadIdx.x] = place;
}

__global__ void largest(unsigned *out) {
  __shared__ unsigned most[32];
  if (threadIdx.x < 32)
    most[threadIdx.x] = 0;
  __syncthreads();
  atomicMax(&most[threadIdx.x % 32], threadIdx.x);
  __syncthreads();
  if (threadIdx.x < 32)
    out[blockIdx.x * 32 + threadIdx.x] = most[threadIdx.x];
}

__global__ void exchange(unsigned *out) {
  __shared__ unsigned flags[kThreads];
  flags[threadIdx.x] = 0;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = atomicCAS(&flags[threadIdx.x * 2 % kThreads], 0u, threadIdx.x);
}

__global__ void lookUp(unsigned *out) {
  __shared__ unsigned table[kThreads];
  table[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = table[number(blockIdx.x * kThreads + threadIdx.x) % kThreads];
}

template <typename T> void launch(void (*kernel)(T *), dim3 block) {
  T *out = nullptr;
  CUDA(cudaMalloc(&out, 1 << 20));
  CUDA(cudaMemset(out, 0, 1 << 20));
  kernel<<<kBlocks, block>>>(out);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
}

struct Named {
  const char *name;
  void (*run)();
};
#define KERNEL(name, block, ...) {name, [] { launch(__VA_ARGS__, block); }}
const Named kKernels[] = {
    KERNEL("stride-1", kThreads, stride<1>),
    KERNEL("stride-2", kThreads, stride<2>),
    KERNEL("stride-3", kThreads, stride<3>),
    KERNEL("stride-4", kThreads, stride<4>),
    KERNEL("stride-8", kThreads, stride<8>),
    KERNEL("stride-16", kThreads, stride<16>),
    KERNEL("stride-32", kThreads, stride<32>),
    KERNEL("stride-33", kThreads, stride<33>),
    KERNEL("broadcast", kThreads, broadcast),
    KERNEL("multicast", kThreads, multicast),
    KERNEL("turn", dim3(32, 8), turn<float, 32>),
    KERNEL("turn-padded", dim3(32, 8), turn<float, 33>),
    KERNEL("turn-swizzled", dim3(32, 8), turnSwizzled),
    KERNEL("turn-double", dim3(32, 8), turn<double, 32>),
    KERNEL("turn-double-padded", dim3(32, 8), turn<double, 33>),
    KERNEL("turn-char", dim3(32, 8), turn<unsigned char, 32>),
    KERNEL("turn-short", dim3(32, 8), turn<unsigned short, 32>),
    KERNEL("narrow-16", dim3(16, 16), narrow<16>),
    KERNEL("narrow-32", dim3(16, 16), narrow<32>),
    KERNEL("narrow-17", dim3(16, 16), narrow<17>),
    KERNEL("product-16", dim3(16, 16), product<16>),
    KERNEL("product-17", dim3(16, 16), product<17>),
    KERNEL("float2", kThreads, vectors<float2>),
    KERNEL("float4", kThreads, vectors<float4>),
    KERNEL("double2", kThreads, vectors<double2>),
    KERNEL("float2-pairs", kThreads, vectorsShared<float2, 2>),
    KERNEL("float4-pairs", kThreads, vectorsShared<float4, 2>),
    KERNEL("float4-fours", kThreads, vectorsShared<float4, 4>),
    KERNEL("float2-columns", 32, vectorColumns<float2, 8>),
    KERNEL("float4-columns", 32, vectorColumns<float4, 8>),
    KERNEL("float4-columns-padded", 32, vectorColumns<float4, 9>),
    KERNEL("float4-columns-swizzled", 32, vectorColumnsSwizzled),
    KERNEL("char-stride-1", kThreads, small<unsigned char, 1>),
    KERNEL("char-stride-8", kThreads, small<unsigned char, 8>),
    KERNEL("short-stride-1", kThreads, small<unsigned short, 1>),
    KERNEL("short-stride-6", kThreads, small<unsigned short, 6>),
    KERNEL("structure-3", kThreads, structures<Three>),
    KERNEL("structure-4", kThreads, structures<Four>),
    KERNEL("structure-5", kThreads, structures<Five>),
    KERNEL("structure-8", kThreads, structures<Eight>),
    KERNEL("structure-3-whole", kThreads, wholeStructures),
    KERNEL("reduction-interleaved", kThreads, interleaved),
    KERNEL("reduction-sequential", kThreads, sequential),
    KERNEL("rows-of-threads", 64, rowsOfThreads),
    KERNEL("histogram-16", kThreads, countBins<16>),
    KERNEL("histogram-256", kThreads, countBins<256>),
    KERNEL("histogram-weighted", kThreads, addBins),
    KERNEL("counters", kThreads, takePlaces),
    KERNEL("atomic-max", kThreads, largest),
    KERNEL("compare-and-swap", kThreads, exchange),
    KERNEL("table", kThreads, lookUp),
};

} // namespace

int main(int argc, char **argv) {
  if (argc == 1)
    for (const Named &kernel : kKernels)
      std::printf("%s\n", kernel.name);
  for (int i = 1; i < argc; ++i) {
    const Named *found = nullptr;
    for (const Named &kernel : kKernels)
      if (!std::strcmp(kernel.name, argv[i]))
        found = &kernel;
    if (!found) {
      std::fprintf(stderr, "kernels: %s is none\n", argv[i]);
      return 1;
    }
    found->run();
  }
  return 0;
}

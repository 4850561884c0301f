/// The kernels of cpu_speed.
///
///     cpu_kernels matmul|saxpy|reduce|tree|rows|nothing|touch SIZE ROUNDS
///
/// SIZE: of a matrix's side, of a vector, a number of rows, or of blocks of 32 threads (nothing, touch). All
/// memory is managed, so that the host can look at it.
#include "cpu_timing.h"

#include <cstring>

#if __has_include(<cupr/control.h>)
#include <cupr/control.h>
#else
static void cuprFlush() {}
#endif

static void must(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "cpu_kernels: %s\n", cudaGetErrorString(status));
  std::exit(2);
}

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void saxpy(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

constexpr int kThreads = 256;

/// Each thread adds up `n / threads` elements, then each block its threads' sums, as a tree.
__global__ void reduce(const float *x, float *sums, int n) {
  __shared__ float partial[kThreads];
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    sum += x[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = partial[0];
}

/// Sums of rows of unequal length: lanes of one warp go through their inner loops unequally often.
__global__ void rows(const float *x, float *sums, int n) {
  for (int row = blockIdx.x * kThreads + threadIdx.x; row < n; row += gridDim.x * kThreads) {
    float sum = 0;
    for (int i = 0; i < rowLength(row); ++i)
      sum += x[row * kRow + i];
    sums[row] = sum;
  }
}

__global__ void nothing() {}

constexpr int kTouched = 4096;

__global__ void touch(float *x) { x[(blockIdx.x * blockDim.x + threadIdx.x) % kTouched] = 1; }

static float *managed(long count) {
  float *memory;
  must(cudaMallocManaged(&memory, count * sizeof(float)));
  std::memset(memory, 0, count * sizeof(float));
  return memory;
}

static void waitForRecords() {
  must(cudaDeviceSynchronize());
  cuprFlush();
}

static void timeMatmul(int n, int rounds) {
  const long count = static_cast<long>(n) * n;
  float *a = managed(count), *b = managed(count), *c = managed(count);
  fill(a, count, 5);
  fill(b, count, 7);
  const double seconds = leastTime(
      rounds, [] {},
      [&] {
        matmul<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
        waitForRecords();
      });
  report(seconds, 2.0 * count * n + count, sumOf(c, count));
}

static void timeSaxpy(int n, int rounds) {
  float *x = managed(n), *y = managed(n);
  fill(x, n, 5);
  const double seconds = leastTime(
      rounds, [&] { fill(y, n, 7); },
      [&] {
        saxpy<<<(n + kThreads - 1) / kThreads, kThreads>>>(n, 2, x, y);
        waitForRecords();
      });
  report(seconds, 3.0 * n, sumOf(y, n));
}

static void timeReduce(int n, int rounds, int perThread) {
  const int blocks = n / perThread / kThreads;
  float *x = managed(n), *sums = managed(blocks);
  fill(x, n, 5);
  const double seconds = leastTime(
      rounds, [] {},
      [&] {
        reduce<<<blocks, kThreads>>>(x, sums, n);
        waitForRecords();
      });
  report(seconds, 1.0 * n + blocks, sumOf(sums, blocks));
}

static void timeRows(int n, int rounds) {
  constexpr int kPerThread = 8;
  float *x = managed(long(n) * kRow), *sums = managed(n);
  fill(x, long(n) * kRow, 5);
  const double seconds = leastTime(
      rounds, [] {},
      [&] {
        rows<<<n / kThreads / kPerThread, kThreads>>>(x, sums, n);
        waitForRecords();
      });
  double accesses = n;
  for (int row = 0; row < n; ++row)
    accesses += rowLength(row);
  report(seconds, accesses, sumOf(sums, n));
}

static void timeNothing(int blocks, int rounds) {
  report(leastTime(
             rounds, [] {},
             [&] {
               nothing<<<blocks, 32>>>();
               waitForRecords();
             }),
         0, 0);
}

static void timeTouch(int blocks, int rounds) {
  float *x = managed(kTouched);
  const double seconds = leastTime(
      rounds, [] {},
      [&] {
        touch<<<blocks, 32>>>(x);
        waitForRecords();
      });
  report(seconds, 32.0 * blocks, sumOf(x, kTouched));
}

int main(int argc, char **argv) {
  const Request request(argc, argv);
  const auto is = [&](const char *name) { return std::strcmp(request.kernel, name) == 0; };
  if (is("matmul"))
    timeMatmul(request.size, request.rounds);
  else if (is("saxpy"))
    timeSaxpy(request.size, request.rounds);
  else if (is("reduce"))
    timeReduce(request.size, request.rounds, 32);
  else if (is("tree"))
    timeReduce(request.size, request.rounds, 1);
  else if (is("rows"))
    timeRows(request.size, request.rounds);
  else if (is("nothing"))
    timeNothing(request.size, request.rounds);
  else if (is("touch"))
    timeTouch(request.size, request.rounds);
  else
    return 2;
}

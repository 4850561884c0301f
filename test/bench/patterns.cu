/// Five access patterns, timed: what tracing costs is the ratio of the traced
/// program's figures to the plain one's.
///
///     patterns [size] [rounds] [batch] [pattern]      default: 4194304 5 1, all
///
/// `size` is the number of elements; matrices and grids are cut to match. Each round times `batch` launches,
/// back to back. One line of JSON per pattern: the median time of a launch by CUDA events (ms), the same by
/// the host's clock until all records have been delivered (deliveredMs), its accesses to global memory per
/// thread by arithmetic. Exit status 1 when a result was wrong.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#if defined(CUPR_REFERENCE_QUEUE) // reference_queue/queue.h: the reference that is measured beside
#include "reference_queue/queue.h"
#elif __has_include(<cupr/control.h>)
#include <cupr/control.h>
#else
static void cuprFlush() {}
#endif

#define MUST(call) must((call), #call)
static void must(cudaError_t status, const char *call) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "patterns: %s: %s\n", call, cudaGetErrorString(status));
  std::exit(2);
}

__global__ void vectorAdd(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

constexpr int kTile = 16;

/// n x n matrices, n a multiple of the tile.
__global__ void tiledMatmul(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[kTile][kTile], tileB[kTile][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int start = 0; start < n; start += kTile) {
    tileA[threadIdx.y][threadIdx.x] = a[y * n + start + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + x];
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

/// The inner cells of an n x n grid.
__global__ void stencil(const float *in, float *out, int n) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
    return;
  const int at = y * n + x;
  out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - n] + in[at + n];
}

__global__ void histogram(const unsigned char *data, unsigned *counters, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counters[data[i]], 1u);
}

__global__ void gather(const int *index, const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[index[i]];
}

/// Device memory for `count` elements, each set to `make(index)`.
template <typename T, typename Make> static T *filled(std::size_t count, Make make) {
  std::vector<T> values(count);
  for (std::size_t index = 0; index < count; ++index)
    values[index] = make(index);
  T *data = nullptr;
  MUST(cudaMalloc(&data, count * sizeof(T)));
  MUST(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

template <typename T> static T element(const T *data, std::size_t at) {
  T value;
  MUST(cudaMemcpy(&value, data + at, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

struct Shape {
  int rounds, batch;
  const char *only; ///< the one pattern to run; null: all
  int launches() const { return rounds * batch + 1; }
};

/// Runs `launch` in `rounds` batches (and once before) and prints the median time of one launch. False: it is
/// not to run.
static bool measure(const char *name, double accesses, Shape shape, const std::function<void()> &launch) {
  if (shape.only && std::strcmp(shape.only, name))
    return false;
  cudaEvent_t start, stop;
  MUST(cudaEventCreate(&start));
  MUST(cudaEventCreate(&stop));
  cuprFlush(); // the first one starts the reference's consumer
  launch();
  MUST(cudaDeviceSynchronize());
  std::vector<float> times(shape.rounds), delivered(shape.rounds);
  for (int round = 0; round < shape.rounds; ++round) {
    cuprFlush();
    const auto begin = std::chrono::steady_clock::now();
    MUST(cudaEventRecord(start));
    for (int i = 0; i < shape.batch; ++i)
      launch();
    MUST(cudaEventRecord(stop));
    MUST(cudaEventSynchronize(stop));
    cuprFlush();
    delivered[round] =
        std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - begin).count();
    MUST(cudaEventElapsedTime(&times[round], start, stop));
  }
  std::sort(times.begin(), times.end());
  std::sort(delivered.begin(), delivered.end());
  std::printf("{\"pattern\": \"%s\", \"accesses\": %.0f, \"ms\": %.5f, \"deliveredMs\": %.5f}\n", name,
              accesses, times[shape.rounds / 2] / shape.batch, delivered[shape.rounds / 2] / shape.batch);
  MUST(cudaEventDestroy(start));
  MUST(cudaEventDestroy(stop));
  return true;
}

static bool right(const char *name, bool good) {
  if (!good)
    std::fprintf(stderr, "patterns: %s: WRONG result\n", name);
  return good;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4194304;
  const Shape rounds{argc > 2 ? std::atoi(argv[2]) : 5, argc > 3 ? std::atoi(argv[3]) : 1,
                     argc > 4 ? argv[4] : nullptr};
  if (n < 1024 || rounds.rounds < 1 || rounds.batch < 1) {
    std::fprintf(stderr,
                 "usage: patterns [size, 1024 or more] [rounds, 1 or more] [batch, 1 or more] [pattern]\n");
    return 2;
  }
  const int grid = (n + 255) / 256;
  const int edge = int(std::sqrt(double(n))) / kTile * kTile; // of the stencil: 2048 by default
  const int side = std::max(kTile, edge / 4 / kTile * kTile); // of the matrices: 512
  const dim3 tile(kTile, kTile);
  bool good = true;

  float *a = filled<float>(n, [](std::size_t i) { return float(i % 8); });
  float *b = filled<float>(n, [](std::size_t i) { return float(i % 4); });
  float *c = filled<float>(n, [](std::size_t) { return 0.0f; });
  if (measure("vector add", 3.0 * n, rounds, [&] { vectorAdd<<<grid, 256>>>(a, b, c, n); }))
    good &= right("vector add", element(c, n - 1) == float((n - 1) % 8 + (n - 1) % 4));

  const double cells = double(side) * side;
  float product = 0;
  for (int k = 0; k < side; ++k)
    product += float(k % 8) * float(std::size_t(k) * side % 4);
  if (measure("tiled matmul", cells * (2.0 * side / kTile + 1), rounds,
              [&] { tiledMatmul<<<dim3(side / kTile, side / kTile), tile>>>(a, b, c, side); }))
    good &= right("tiled matmul", element(c, 0) == product);

  const double inner = double(edge - 2) * (edge - 2);
  const auto at = [&](int x, int y) { return float((std::size_t(y) * edge + x) % 8); };
  if (measure("stencil", 6.0 * inner, rounds,
              [&] { stencil<<<dim3(edge / kTile, edge / kTile), tile>>>(a, c, edge); }))
    good &= right("stencil", element(c, edge + 1) == at(1, 1) + at(0, 1) + at(2, 1) + at(1, 0) + at(1, 2));

  unsigned char *bytes =
      filled<unsigned char>(n, [](std::size_t i) { return (unsigned char)(i * 2654435761u >> 24); });
  unsigned *counters = filled<unsigned>(256, [](std::size_t) { return 0u; });
  unsigned wanted = 0;
  for (std::uint32_t i = 0; i < std::uint32_t(n); ++i)
    wanted += (i * 2654435761u >> 24 & 255u) == 7;
  if (measure("histogram", 2.0 * n, rounds, [&] { histogram<<<grid, 256>>>(bytes, counters, n); }))
    good &= right("histogram", element(counters, 7) == wanted * rounds.launches());

  // Random: no distance between neighbours repeats, and what is left is the index's entropy.
  const auto scattered = [&](std::size_t i) {
    std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return int((bits ^ bits >> 31) % std::uint32_t(n));
  };
  int *index = filled<int>(n, scattered);
  if (measure("random gather", 3.0 * n, rounds, [&] { gather<<<grid, 256>>>(index, a, c, n); }))
    good &= right("random gather", element(c, 3) == float(scattered(3) % 8));
  return good ? 0 : 1;
}

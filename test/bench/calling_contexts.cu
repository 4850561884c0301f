/// Kernels whose functions are called, not inlined, from several places, timed: what it costs that sites' numbers depend on the caller
/// (cuprewrite/pass/calling_contexts.h) is the ratio of this program's figures, built with and without --context-sites=0.
///
///     calling_contexts [threads] [rounds] [batch]      default: 1048576 9 4
///
/// One line of JSON per kernel: the median time of a launch by CUDA events. Each round times `batch` launches. Exit status 1 when a result was wrong.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#if __has_include(<cupr/control.h>)
#include <cupr/control.h>
#else
static void cuprFlush() {}
#endif

#define MUST(call) must((call), #call)
static void must(cudaError_t status, const char *call) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "calling_contexts: %s: %s\n", call, cudaGetErrorString(status));
  std::exit(2);
}

__device__ __forceinline__ int self() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

/// One access, called from eight places.
__device__ __noinline__ float get(const float *in, int i) { return in[i]; }

__global__ void gets(const float *in, float *out, int n) {
  const int i = self();
  float sum = get(in, i) + 2 * get(in, (i + 32) % n);
  sum += 3 * get(in, (i + 64) % n) + 4 * get(in, (i + 96) % n);
  sum += 5 * get(in, (i + 128) % n) + 6 * get(in, (i + 160) % n);
  sum += 7 * get(in, (i + 192) % n) + 8 * get(in, (i + 224) % n);
  out[i] = sum;
}

/// Three accesses that share a call of the hook, called from four places.
__device__ __noinline__ void add(const float *a, const float *b, float *c, int i) { c[i] = a[i] + b[i]; }

__global__ void adds(const float *a, const float *b, float *c, int n) {
  const int i = self();
  add(a, b, c, i);
  add(c, b, c, i);
  add(a, c, c, i);
  add(c, c, c, i);
}

/// A chain of three functions, each called twice: eight contexts of the last one.
__device__ __noinline__ float inner(const float *in, int i, int n) { return in[(i + 32) % n]; }
__device__ __noinline__ float middle(const float *in, int i, int n) {
  return in[i] + inner(in, i, n) + 2 * inner(in, (i + 64) % n, n);
}
__device__ __noinline__ float outer(const float *in, int i, int n) {
  return in[i] + middle(in, i, n) + 3 * middle(in, (i + 128) % n, n);
}

__global__ void chain(const float *in, float *out, int n) {
  const int i = self();
  out[i] = outer(in, i, n) + 5 * outer(in, (i + 256) % n, n);
}

/// Half the lanes of a warp call from each side of a branch.
__global__ void branches(const float *in, float *out, int n) {
  const int i = self();
  float sum;
  if (i & 1)
    sum = middle(in, i, n);
  else
    sum = 2 * middle(in, (i + 32) % n, n);
  out[i] = sum;
}

/// Functions that call each other.
__device__ __noinline__ float odd(const float *in, int i, int n, int depth);
__device__ __noinline__ float even(const float *in, int i, int n, int depth) {
  const float here = in[i];
  return depth == 0 ? here : here + odd(in, (i + 32) % n, n, depth - 1);
}
__device__ __noinline__ float odd(const float *in, int i, int n, int depth) {
  const float here = 2 * in[i];
  return depth == 0 ? here : here + even(in, (i + 64) % n, n, depth - 1);
}

__global__ void recursion(const float *in, float *out, int n, int depth) {
  const int i = self();
  out[i] = even(in, i, n, depth) + odd(in, i, n, depth);
}

/// As in a finite-element program: much arithmetic for an access.
__device__ __noinline__ float flux(const float *in, int i, int n) {
  const float left = in[i], right = in[(i + 1) % n];
  float value = left - right;
  for (int step = 0; step < 32; ++step)
    value = value * 0.5f + sqrtf(fabsf(left + value)) * 0.25f;
  return value;
}

__global__ void elements(const float *in, float *out, int n) {
  const int i = self();
  float sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    sum += flux(in, (i + turn) % n, n);
    sum -= flux(in, (i + 1024 + turn) % n, n);
  }
  out[i] = sum;
}

struct Shape {
  int rounds, batch;
};

static float *filled(int n) {
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = float(i % 8);
  float *data = nullptr;
  MUST(cudaMalloc(&data, n * sizeof(float)));
  MUST(cudaMemcpy(data, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  return data;
}

static void measure(const char *name, Shape shape, const std::function<void()> &launch) {
  cudaEvent_t start, stop;
  MUST(cudaEventCreate(&start));
  MUST(cudaEventCreate(&stop));
  launch();
  MUST(cudaDeviceSynchronize());
  std::vector<float> times(shape.rounds);
  for (float &time : times) {
    cuprFlush();
    MUST(cudaEventRecord(start));
    for (int i = 0; i < shape.batch; ++i)
      launch();
    MUST(cudaEventRecord(stop));
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventElapsedTime(&time, start, stop));
  }
  std::sort(times.begin(), times.end());
  std::printf("{\"kernel\": \"%s\", \"ms\": %.6f}\n", name, times[shape.rounds / 2] / shape.batch);
}

/// `wanted`: of thread 3, all of whose elements are 3, but for those of `flux`, which are not looked at.
static bool isRight(const char *name, const float *out, float wanted) {
  float found = 0;
  MUST(cudaMemcpy(&found, out + 3, sizeof found, cudaMemcpyDeviceToHost));
  if (found != wanted)
    std::fprintf(stderr, "calling_contexts: %s: %f, not %f\n", name, found, wanted);
  return found == wanted;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1048576;
  const Shape shape{argc > 2 ? std::atoi(argv[2]) : 9, argc > 3 ? std::atoi(argv[3]) : 4};
  if (n < 4096 || n % 256 || shape.rounds < 1 || shape.batch < 1) {
    std::fprintf(stderr,
                 "usage: calling_contexts [threads, a multiple of 256 from 4096 on] [rounds] [batch]\n");
    return 2;
  }
  const int grid = n / 256;
  float *const a = filled(n), *const b = filled(n), *const c = filled(n);
  bool isGood = true;
  measure("gets", shape, [&] { gets<<<grid, 256>>>(a, c, n); });
  isGood &= isRight("gets", c, 36 * 3);
  measure("chain", shape, [&] { chain<<<grid, 256>>>(a, c, n); });
  isGood &= isRight("chain", c, 6 * (1 + 4 * (1 + 3)) * 3);
  measure("branches", shape, [&] { branches<<<grid, 256>>>(a, c, n); });
  isGood &= isRight("branches", c, (1 + 3) * 3);
  measure("recursion", shape, [&] { recursion<<<grid, 256>>>(a, c, n, 7); });
  isGood &= isRight("recursion", c, 2 * (4 + 8) * 3);
  measure("elements", shape, [&] { elements<<<grid, 256>>>(a, c, n); });
  measure("adds", shape, [&] { adds<<<grid, 256>>>(a, b, c, n); });
  isGood &= isRight("adds", c, 2 * (3 + 3 * 3));
  return isGood ? 0 : 1;
}

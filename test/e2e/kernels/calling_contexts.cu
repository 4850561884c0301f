/// The call graph of "Optimizing GPU-accelerated Applications with HPCToolkit" (Zhou and Mellor-Crummey, 2019), slide 22: A calls B, C and
/// D, and these call E; here D and E call each other, too, until a depth is reached. 64 threads; each function loads one element of 4 bytes of a row of
/// its own each time it is called. Thread i: a and b once, c once; by b, e with depth 0, and with depth 1, which makes one load of d; by
/// c, e with depth i % 3; by a, d with depth 3: two loads of d and two of e.
///
/// meeting: one function, called on both sides of a branch, in which all lanes of a warp wait for each other, and load together from there on.
/// through: one function, called through a pointer and directly.
#include "verdict.h"

constexpr int kThreads = 64, kRows = 5;

__device__ __noinline__ int d(const int *in, int i, int depth);

__device__ __noinline__ int e(const int *in, int i, int depth) {
  int sum = in[4 * kThreads + i];
  if (depth > 0)
    sum += d(in, i, depth - 1);
  return sum;
}

__device__ __noinline__ int d(const int *in, int i, int depth) {
  int sum = in[3 * kThreads + i];
  if (depth > 0)
    sum += e(in, i, depth - 1);
  return sum;
}

__device__ __noinline__ int c(const int *in, int i) { return in[2 * kThreads + i] + 2 * e(in, i, i % 3); }

__device__ __noinline__ int b(const int *in, int i, int none) {
  int sum = in[1 * kThreads + i];
  sum += 3 * e(in, i, none);
  sum += 5 * e(in, i, none + 1);
  return sum;
}

__device__ __noinline__ int a(const int *in, int i, int none) {
  int sum = in[i];
  sum += 7 * b(in, i, none);
  sum += 11 * c(in, i);
  sum += 13 * d(in, i, none + 3);
  return sum;
}

__global__ void graph(const int *in, int *out, int none) {
  const int i = int(threadIdx.x);
  out[i] = a(in, i, none);
}

__device__ __noinline__ int meet(const int *in, int i) {
  __syncwarp();
  return in[i];
}

__global__ void meeting(const int *in, int *out) {
  const int i = int(threadIdx.x);
  int found;
  if (i % 2)
    found = meet(in, i);
  else
    found = 3 * meet(in, kThreads + i);
  out[i] = found;
}

__device__ __noinline__ int first(const int *in, int i) { return in[i]; }
__device__ __noinline__ int second(const int *in, int i) { return in[kThreads + i]; }

__global__ void through(const int *in, int *out, int which) {
  const int i = int(threadIdx.x);
  int (*chosen)(const int *, int) = which ? &second : &first;
  int sum = chosen(in, i);
  sum += 3 * second(in, i);
  out[i] = sum;
}

static int dOnHost(const std::vector<int> &in, int i, int depth);
static int eOnHost(const std::vector<int> &in, int i, int depth) {
  return in[4 * kThreads + i] + (depth > 0 ? dOnHost(in, i, depth - 1) : 0);
}
static int dOnHost(const std::vector<int> &in, int i, int depth) {
  return in[3 * kThreads + i] + (depth > 0 ? eOnHost(in, i, depth - 1) : 0);
}
static int graphOnHost(const std::vector<int> &in, int i) {
  const int b = in[kThreads + i] + 3 * eOnHost(in, i, 0) + 5 * eOnHost(in, i, 1);
  const int c = in[2 * kThreads + i] + 2 * eOnHost(in, i, i % 3);
  return in[i] + 7 * b + 11 * c + 13 * dOnHost(in, i, 3);
}

int main() {
  const auto values = generate<int>(kRows * kThreads, [](std::size_t i) { return int(i * i % 1009); });
  Device<int> in(values), sums(kThreads), met(kThreads), chosen(kThreads);
  graph<<<1, kThreads>>>(in, sums, 0);
  meeting<<<1, kThreads>>>(in, met);
  through<<<1, kThreads>>>(in, chosen, 1);
  Verdict verdict("calling_contexts");
  const auto expected = [&](auto &&of) {
    return generate<int>(kThreads, [&](std::size_t i) { return of(int(i)); });
  };
  verdict.equal("graph", sums.read(), expected([&](int i) { return graphOnHost(values, i); }));
  verdict.equal("meeting", met.read(),
                expected([&](int i) { return i % 2 ? values[i] : 3 * values[kThreads + i]; }));
  verdict.equal("through", chosen.read(), expected([&](int i) { return 4 * values[kThreads + i]; }));
  return verdict.finish();
}

/// Addresses, conditions and lengths that follow from arrays which stay as they are while the kernel runs. n = 320 threads in 5
/// blocks of 64.
///
/// rows: row i has i % 5 entries, from 10 * (i / 5) + r * (r - 1) / 2 on, with r = i % 5; entry j is of column 7 * j % n. Each row
/// loads its two bounds, each entry its column, its value and an element of x: 640 and 3 * 640 loads, 320 stores.
/// scatter, twice: threads with i % 3 = 2 have a level above 1: 320 levels, 107 - 1 = 106 indices (i = 2, 5 ... 317), as many stores,
/// at (5 * i + 1) % n at first, at (5 * i + 2) % n when the host has changed the indices.
/// within: indices and what they lead to lie in one allocation, so they may be the same memory: 320 loads, 320 stores.
#include "verdict.h"

__global__ void rows(const int *first, const int *column, const float *value, const float *x, float *y) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  float sum = 0;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int j = first[i], end = first[i + 1]; j < end; ++j)
    sum += value[j] * x[column[j]];
  y[i] = sum;
}

__global__ void scatter(const float *level, const unsigned short *index, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (level[i] > 1.0f)
    out[index[i]] = i;
}

__global__ void within(const int *index, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[index[i]] = i;
}

int main() {
  const int n = 320, entries = 640;
  const auto startOf = [](std::size_t i) { return int(10 * (i / 5) + i % 5 * (i % 5 - 1) / 2); };
  Device<int> first(generate<int>(n + 1, startOf)),
      column(generate<int>(entries, [](std::size_t j) { return int(7 * j % 320); }));
  Device<float> value(generate<float>(entries, [](std::size_t j) { return float(j % 8); })),
      x(generate<float>(n, [](std::size_t i) { return float(i % 16); })), y(n),
      level(generate<float>(n, [](std::size_t i) { return float(i % 3); }));
  Device<unsigned short> index(generate<unsigned short>(n, [](std::size_t i) { return (5 * i + 1) % 320; }));
  Device<int> out(std::vector<int>(n, -1));
  Device<int> both(generate<int>(2 * n, [](std::size_t i) { return int(i < 320 ? 319 - i : 0); }));
  rows<<<5, 64>>>(first, column, value, x, y);
  scatter<<<5, 64>>>(level, index, out);
  const auto changed = generate<unsigned short>(n, [](std::size_t i) { return (5 * i + 2) % 320; });
  MUST(cudaMemcpy(index, changed.data(), sizeof(unsigned short) * n, cudaMemcpyHostToDevice));
  scatter<<<5, 64>>>(level, index, out);
  within<<<5, 64>>>(both, both + n);
  Verdict verdict("indices");
  verdict.equal("rows", y.read(), generate<float>(n, [&](std::size_t i) {
                  float sum = 0;
                  for (int j = startOf(i); j < startOf(i + 1); ++j)
                    sum += float(j % 8) * float(7 * j % 320 % 16);
                  return sum;
                }));
  std::vector<int> scattered(n, -1);
  for (int shift = 1; shift <= 2; ++shift)
    for (int i = 2; i < n; i += 3)
      scattered[(5 * i + shift) % n] = i; // who is last of those that meet decides; 5 * i meets itself 64 later
  const std::vector<int> has = out.read();
  verdict.equal("scattered", generate<int>(n, [&](std::size_t i) { return has[i] < 0; }),
                generate<int>(n, [&](std::size_t i) { return scattered[i] < 0; }));
  verdict.equal("within", both.read(), generate<int>(2 * n, [](std::size_t i) {
                  return int(i < 320 ? 319 - i : 319 - (i - 320));
                }));
  return verdict.finish();
}

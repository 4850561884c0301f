/// The two kernels: blocks count their parts of the data, then one block per bin adds the parts up.
///
/// Atomics on 64 counters would wait for each other. So each thread of the first kernel has counters of its
/// own, in shared memory and of one byte each: 4 KiB for a block of 64 threads. A byte counts to 255, hence
/// the 15 loads of 16 bytes that a thread may make before its counts must be gathered.
#include "histogram.h"

#include <cstdio>

static constexpr int kCounters = 64; ///< threads of a counting block
static constexpr int kLoads = 15;    ///< most words of 16 bytes that a thread counts
static constexpr int kAdders = 256;  ///< threads of an adding block

static_assert(kLoads * sizeof(uint4) <= 255, "a counter has one byte");
static_assert(kCounters == kBins, "each thread gathers one bin");

using Counters = unsigned char[kBins][kCounters];

__device__ inline void countWord(Counters &counters, unsigned word) {
  for (int byte = 0; byte < 4; ++byte)
    ++counters[word >> (8 * byte + 2) & (kBins - 1)][threadIdx.x];
}

/// Each block counts its part of the data, and stores kBins counts.
__global__ void countParts(unsigned *parts, const uint4 *data, unsigned words) {
  __shared__ Counters counters;
  for (int bin = 0; bin < kBins; ++bin)
    counters[bin][threadIdx.x] = 0;
  // A thread touches nobody else's counters until all are done.
  const unsigned stride = gridDim.x * kCounters;
  for (unsigned at = blockIdx.x * kCounters + threadIdx.x; at < words; at += stride) {
    const uint4 word = data[at];
    countWord(counters, word.x);
    countWord(counters, word.y);
    countWord(counters, word.z);
    countWord(counters, word.w);
  }
  __syncthreads();
  // Thread t gathers bin t, and starts at its own column, so that threads meet in no bank.
  unsigned sum = 0;
  for (int thread = 0; thread < kCounters; ++thread)
    sum += counters[threadIdx.x][(thread + threadIdx.x) % kCounters];
  parts[blockIdx.x * kBins + threadIdx.x] = sum;
}

/// Block b adds up the counts that all blocks have stored of bin b.
__global__ void addParts(unsigned *histogram, const unsigned *parts, unsigned count) {
  __shared__ unsigned sums[kAdders];
  unsigned sum = 0;
  for (unsigned part = threadIdx.x; part < count; part += kAdders)
    sum += parts[part * kBins + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (int half = kAdders / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    histogram[blockIdx.x] = sums[0];
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "histogram64: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

std::vector<std::uint32_t> countOnDevice(const std::vector<std::uint8_t> &data) {
  const unsigned words = static_cast<unsigned>(data.size() / sizeof(uint4));
  const unsigned blocks = (words + kCounters * kLoads - 1) / (kCounters * kLoads);
  uint4 *deviceData = nullptr;
  unsigned *parts = nullptr, *histogram = nullptr;
  bool good =
      succeeded(cudaMalloc(&deviceData, data.size()), "cudaMalloc of the data") &&
      succeeded(cudaMalloc(&parts, sizeof(unsigned) * kBins * blocks), "cudaMalloc of the parts") &&
      succeeded(cudaMalloc(&histogram, sizeof(unsigned) * kBins), "cudaMalloc of the histogram") &&
      succeeded(cudaMemcpy(deviceData, data.data(), data.size(), cudaMemcpyHostToDevice), "copying the data");
  if (good) {
    countParts<<<blocks, kCounters>>>(parts, deviceData, words);
    addParts<<<kBins, kAdders>>>(histogram, parts, blocks);
    good = succeeded(cudaGetLastError(), "launching the kernels");
  }
  std::vector<std::uint32_t> result(kBins);
  if (!good ||
      !succeeded(cudaMemcpy(result.data(), histogram, sizeof(unsigned) * kBins, cudaMemcpyDeviceToHost),
                 "copying the histogram"))
    result.clear();
  cudaFree(histogram);
  cudaFree(parts);
  cudaFree(deviceData);
  return result;
}

// Right code of others: algorithms of CUB, whose blocks look back at each other and whose warps share memory. -DALL: more of them,
// and of Thrust, which take a minute to compile.
#include <cstdio>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#ifdef ALL
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#endif

constexpr int kSize = 5000, kThreads = 128, kItems = 4;

template <typename T> struct Array {
  explicit Array(int size) { cudaMalloc(&data, size * sizeof(T)); }
  ~Array() { cudaFree(data); }
  T *data = nullptr;
};

/// Calls it twice: for how much memory it needs, and with that.
template <typename Call> void withMemory(Call call) {
  std::size_t bytes = 0;
  call(static_cast<void *>(nullptr), bytes);
  const Array<char> memory(static_cast<int>(bytes));
  call(static_cast<void *>(memory.data), bytes);
  cudaDeviceSynchronize();
}

__global__ void blocks(const int *in, int *out) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_RAKING>;
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  using Part = cub::WarpReduce<int, 16>;
  __shared__ union {
    Load::TempStorage load;
    Scan::TempStorage scan;
    Reduce::TempStorage reduce;
    Sort::TempStorage sort;
    Part::TempStorage parts[kThreads / 16];
  } memory;
  int items[kItems], sums[kItems];
  Load(memory.load).Load(in + blockIdx.x * kThreads * kItems, items);
  __syncthreads();
  Scan(memory.scan).InclusiveSum(items, sums);
  __syncthreads();
  Sort(memory.sort).Sort(items);
  __syncthreads();
  const int total = Reduce(memory.reduce).Sum(sums);
  __syncthreads();
  const int part = Part(memory.parts[threadIdx.x / 16]).Sum(items[0]);
  if (threadIdx.x % 16 == 0)
    atomicAdd(out, part);
  if (threadIdx.x == 0)
    atomicAdd(out, total);
}

#ifdef ALL
void others(const std::vector<int> &values, const int *in, int *out, int *lengths, int *count) {
  withMemory([=](auto &&...memory) {
    cub::DeviceRunLengthEncode::Encode(memory..., in, out, lengths, count, kSize);
  });
  withMemory(
      [=](auto &&...memory) { cub::DeviceHistogram::HistogramEven(memory..., in, out, 101, 0, 100, kSize); });
  withMemory([=](auto &&...memory) { cub::DeviceRadixSort::SortKeys(memory..., in, out, kSize); });
  withMemory([=](auto &&...memory) {
    cub::DeviceRadixSort::SortPairs(memory..., in, lengths, out, lengths + kSize, kSize);
  });
  thrust::device_vector<int> a(values.begin(), values.end()), b(a), keys(kSize), sums(kSize), both(2 * kSize);
  thrust::sort(a.begin(), a.end());
  thrust::sort(b.begin(), b.end(), thrust::greater<int>());
  thrust::reduce_by_key(a.begin(), a.end(), b.begin(), keys.begin(), sums.begin());
  thrust::copy_if(a.begin(), a.end(), keys.begin(), [] __device__(int value) { return value % 2 != 0; });
  thrust::inclusive_scan(a.begin(), a.end(), sums.begin());
  thrust::sort(b.begin(), b.end());
  thrust::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
  // Has a report: the last thread loads a key behind those in shared memory, which it does not use.
  thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), both.begin());
  // Has a report: in place, blocks tell each other by relaxed stores how many they have kept.
  thrust::unique(a.begin(), a.end());
}
#endif

int main() {
  std::vector<int> values(kSize);
  for (int i = 0; i < kSize; ++i)
    values[i] = static_cast<int>(i * 2654435761u % 1000) / 10;
  const Array<int> in(kSize), out(kSize), lengths(2 * kSize), count(1);
  cudaMemcpy(in.data, values.data(), kSize * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(lengths.data, 0, 2 * kSize * sizeof(int));
  cudaMemset(count.data, 0, sizeof(int));
  blocks<<<kSize / (kThreads * kItems), kThreads>>>(in.data, count.data);
  cudaDeviceSynchronize();

  int sum = 0, last = 0;
  withMemory([&](auto &&...memory) { cub::DeviceReduce::Sum(memory..., in.data, count.data, kSize); });
  cudaMemcpy(&sum, count.data, sizeof sum, cudaMemcpyDeviceToHost);
  withMemory([&](auto &&...memory) { cub::DeviceScan::InclusiveSum(memory..., in.data, out.data, kSize); });
  cudaMemcpy(&last, out.data + kSize - 1, sizeof last, cudaMemcpyDeviceToHost);
  withMemory(
      [&](auto &&...memory) { cub::DeviceSelect::Unique(memory..., in.data, out.data, count.data, kSize); });
#ifdef ALL
  others(values, in.data, out.data, lengths.data, count.data);
#endif
  const int expected = std::accumulate(values.begin(), values.end(), 0);
  std::printf("%s\n", sum == expected && last == expected ? "ok" : "wrong");
}

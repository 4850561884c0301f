#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <vector>

template <int Threads, int Items> __global__ void blocks(const int *in, int *scanned, int *sorted, int *sum) {
  using Load = cub::BlockLoad<int, Threads, Items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, Threads, Items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, Threads>;
  using Sort = cub::BlockRadixSort<int, Threads, Items>;
  using Reduce = cub::BlockReduce<int, Threads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename Reduce::TempStorage reduce;
  } temporary;
  int items[Items], prefix[Items];
  Load(temporary.load).Load(in + blockIdx.x * Threads * Items, items);
  __syncthreads();
  Scan(temporary.scan).ExclusiveSum(items, prefix);
  __syncthreads();
  Store(temporary.store).Store(scanned + blockIdx.x * Threads * Items, prefix);
  __syncthreads();
  const int total = Reduce(temporary.reduce).Sum(items);
  if (threadIdx.x == 0)
    sum[blockIdx.x] = total;
  __syncthreads();
  Sort(temporary.sort).Sort(items);
  __syncthreads();
  Store(temporary.store).Store(sorted + blockIdx.x * Threads * Items, items);
}

int main() {
  const int threads = 128, items = 4, count = 3, n = threads * items * count;
  std::vector<int> in(n), scanned(n), sorted(n), sums(count);
  for (int i = 0; i < n; ++i)
    in[i] = (int)((i * 2654435761u) % 1000) - 500;
  int *din, *dscanned, *dsorted, *dsums;
  CUDA(cudaMalloc(&din, n * 4));
  CUDA(cudaMalloc(&dscanned, n * 4));
  CUDA(cudaMalloc(&dsorted, n * 4));
  CUDA(cudaMalloc(&dsums, count * 4));
  CUDA(cudaMemcpy(din, in.data(), n * 4, cudaMemcpyHostToDevice));
  blocks<threads, items><<<count, threads>>>(din, dscanned, dsorted, dsums);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(scanned.data(), dscanned, n * 4, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(sorted.data(), dsorted, n * 4, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(sums.data(), dsums, count * 4, cudaMemcpyDeviceToHost));
  for (int b = 0; b < count; ++b) {
    std::vector<int> part(in.begin() + b * threads * items, in.begin() + (b + 1) * threads * items);
    int sum = 0;
    for (int i = 0; i < threads * items; ++i) {
      CHECK(scanned[b * threads * items + i] == sum, "scan %d: %d, not %d", i, scanned[b * threads * items + i], sum);
      sum += part[i];
    }
    CHECK(sums[b] == sum, "%d, not %d", sums[b], sum);
    std::sort(part.begin(), part.end());
    for (int i = 0; i < threads * items; ++i)
      CHECK(sorted[b * threads * items + i] == part[i], "sort %d", i);
  }
  std::puts("ok");
}

/// Planted faults: what is freed twice, inside of an allocation, or by another call than its own; and kernels that end with an error.
#include "cases.h"

#include <cassert>

constexpr int kThreads = 64;

__global__ void fill(int *cells) { cells[threadIdx.x] = static_cast<int>(threadIdx.x); }

// A holder is copied, and both copies free what it holds.
struct Holder {
  int *cells = nullptr;
  void close() { cudaFree(cells); } //~ holderCopied: double-free
};

void holderCopied(bool fixed) {
  Holder first;
  cudaMalloc(&first.cells, kThreads * sizeof(int));
  fill<<<1, kThreads>>>(first.cells);
  Holder second = first;
  if (fixed)
    second.cells = nullptr;
  first.close();
  second.close();
}

// Behind an error that was met halfway all is freed, and once more at the end.
void cleanedTwice(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  fill<<<1, kThreads>>>(cells);
  cudaFree(cells); //~ cleanedTwice: double-free
  if (fixed)
    cells = nullptr;
  cudaFree(cells); //~ cleanedTwice: double-free
}

// Two names for one array, each of which is freed.
void twoNames(bool fixed) {
  int *next = nullptr;
  cudaMalloc(&next, kThreads * sizeof(int));
  int *const last = next;
  fill<<<1, kThreads>>>(next);
  cudaDeviceSynchronize();
  cudaFree(next); //~ twoNames: double-free
  if (!fixed)
    cudaFree(last); //~ twoNames: double-free
}

// Pinned memory, twice.
void pinnedTwice(bool fixed) {
  int *cells = nullptr;
  cudaMallocHost(&cells, kThreads * sizeof(int));
  fill<<<1, kThreads>>>(cells);
  cudaDeviceSynchronize();
  cudaFreeHost(cells); //~ pinnedTwice: double-free
  if (!fixed)
    cudaFreeHost(cells); //~ pinnedTwice: double-free
}

// Two arrays lie in one allocation, and each is freed.
void secondHalf(bool fixed) {
  int *both = nullptr;
  cudaMalloc(&both, 2 * kThreads * sizeof(int));
  int *const second = both + kThreads;
  fill<<<1, kThreads>>>(second);
  if (!fixed)
    cudaFree(second); //~ secondHalf: invalid-free
  cudaFree(both);
}

// The pointer has walked on.
void walkedOn(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, 2 * kThreads * sizeof(int));
  int *at = cells;
  for (int i = 0; i < 2; ++i, at += kThreads)
    fill<<<1, kThreads>>>(at);
  if (!fixed)
    cudaFree(at - kThreads); //~ walkedOn: invalid-free
  cudaFree(cells);
}

// Pinned memory is freed as if it were the device's.
void pinnedAsDevice(bool fixed) {
  int *cells = nullptr;
  cudaMallocHost(&cells, kThreads * sizeof(int));
  fill<<<1, kThreads>>>(cells);
  cudaDeviceSynchronize();
  if (!fixed)
    cudaFree(cells); //~ pinnedAsDevice: invalid-free
  cudaFreeHost(cells);
}

// The device's memory is freed as if it were pinned.
void deviceAsPinned(bool fixed) {
  int *cells = nullptr;
  cudaMalloc(&cells, kThreads * sizeof(int));
  fill<<<1, kThreads>>>(cells);
  cudaDeviceSynchronize();
  if (!fixed)
    cudaFreeHost(cells); //~ deviceAsPinned: invalid-free
  cudaFree(cells);
}

// What no call has allocated.
void ofTheStack(bool fixed) {
  int cells[kThreads];
  if (!fixed)
    cudaFreeHost(cells); //~ ofTheStack: invalid-free
}

__global__ void trapping(const int *limit, bool fixed) {
  if (!fixed && static_cast<int>(threadIdx.x) >= *limit)
    __trap();
}

// The kernel gives up on what it is given.
void gaveUp(bool fixed) {
  DeviceArray<int> limit(std::vector<int>{7});
  trapping<<<1, kThreads>>>(limit, fixed); //~ gaveUp: failed-kernel
}

__global__ void asserting(const int *limit, bool fixed) {
  assert(fixed || static_cast<int>(threadIdx.x) < *limit);
}

// An assertion does not hold.
void asserted(bool fixed) {
  DeviceArray<int> limit(std::vector<int>{7});
  asserting<<<1, kThreads>>>(limit, fixed); //~ asserted: failed-kernel
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       {"holderCopied", holderCopied},
                       {"cleanedTwice", cleanedTwice},
                       {"twoNames", twoNames},
                       {"pinnedTwice", pinnedTwice},
                       {"secondHalf", secondHalf},
                       {"walkedOn", walkedOn},
                       {"pinnedAsDevice", pinnedAsDevice},
                       {"deviceAsPinned", deviceAsPinned},
                       {"ofTheStack", ofTheStack},
                       {"gaveUp", gaveUp},
                       {"asserted", asserted},
                   });
}

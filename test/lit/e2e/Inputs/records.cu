// Counts its own accesses by launch, without a file.
#include <cupr/record.h>
#include <cupr/records.h>

#include <atomic>
#include <cstdio>

static std::atomic<unsigned> accesses[3], notRecords;

static void take(void *user, unsigned long long launch, unsigned, const void *words, size_t count) {
  cupr::abi::WarpAccess access;
  std::uint32_t size = 0;
  for (const char *at = static_cast<const char *>(words); count != 0; at += 16 * size, count -= size) {
    if (cupr::abi::decodeRecord(at, count, access, size) != cupr::abi::RecordStatus::Access) {
      ++notRecords;
      return;
    }
    static_cast<std::atomic<unsigned> *>(user)[launch] += cupr::abi::activeLanes(access.laneMask);
  }
}

__global__ void copy(int *to, const int *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
__global__ void clear(int *to) { to[threadIdx.x] = 0; }

// Behind everything that the runtime does at the end.
struct Report {
  ~Report() {
    std::printf("launch 1: %u, launch 2: %u, not records: %u\n", accesses[1].load(), accesses[2].load(),
                notRecords.load());
  }
} report;

int main() {
  std::printf("set: %d\n", cuprSetRecordsFunction(take, accesses));
  int *data;
  cudaMalloc(&data, 4096 * sizeof *data);
  std::printf("set again: %d\n", cuprSetRecordsFunction(take, accesses));
  copy<<<8, 128>>>(data + 2048, data);
  clear<<<1, 50>>>(data);
  return cudaDeviceSynchronize();
}

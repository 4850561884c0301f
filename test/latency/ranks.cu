// Loads whose cost is planted: of shared memory in 1 to 32 turns, and of global memory with 1 to 32 sectors. One warp makes each load kLoads times, each after
// the one before: what is loaded is 0, and is part of the next address. ranks.py looks at how long they took. How far a line of the second-level
// cache is from a multiprocessor differs by some 20 cycles, so each load of global memory goes to other lines than the kGroups - 1 before; and by some 5
// from multiprocessor to multiprocessor, so there are several rounds of launches. The program prints what a load of each took, by a pair of clocks around
// all of them: untimed, that is what the durations are compared with.
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kLoads = 256, kWays = 32, kGroups = 128, kRounds = 6;
constexpr int kLine = 128 / sizeof(unsigned); ///< and the words of all banks

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

__device__ __align__(128) unsigned zeros[kGroups * kWays * kLine];

/// As many different words of bank 0 as there are ways, and one of each other bank that is left.
__global__ void conflicts(unsigned ways, unsigned *out, long long *cycles) {
  __shared__ unsigned words[kWays * kLine];
  for (unsigned i = threadIdx.x; i < kWays * kLine; i += 32)
    words[i] = zeros[i];
  __syncthreads();
  unsigned at = threadIdx.x < ways ? threadIdx.x * kLine : threadIdx.x;
  const long long began = clock64();
  _Pragma("unroll 1") for (int i = 0; i < kLoads; ++i) at += words[at];
  out[threadIdx.x] = at;
  *cycles = clock64() - began;
}

/// As many sectors, each of another line, past the first-level cache.
__global__ void sectors(unsigned ways, unsigned *out, long long *cycles) {
  unsigned at = threadIdx.x % ways * kLine + threadIdx.x / ways % 8, sum = 0;
  const long long began = clock64();
  _Pragma("unroll 1") for (unsigned i = 0; i < kLoads; ++i) sum +=
      __ldcg(zeros + (sum + i) % kGroups * kWays * kLine + at);
  out[threadIdx.x] = sum;
  *cycles = clock64() - began;
}

/// Brings the zeros into the second-level cache.
__global__ void clear() {
  for (unsigned i = threadIdx.x; i < kGroups * kWays * kLine; i += blockDim.x)
    zeros[i] = 0;
}

} // namespace

int main() {
  unsigned *out = nullptr;
  long long (*cycles)[2] = nullptr; // of each launch of conflicts, and of sectors
  clear<<<1, 1024>>>();
  CHECK(cudaMalloc(&out, 32 * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&cycles, kRounds * kWays * sizeof *cycles));
  for (int round = 0; round < kRounds; ++round)
    for (unsigned ways = 1; ways <= kWays; ++ways) {
      long long *const here = cycles[round * kWays + ways - 1];
      conflicts<<<1, 32>>>(ways, out, &here[0]);
      sectors<<<1, 32>>>(ways, out, &here[1]);
    }
  CHECK(cudaDeviceSynchronize());
  for (int of = 0; of < 2; ++of) {
    std::printf(of ? "sectors" : "conflicts");
    for (int ways = 0; ways < kWays; ++ways) {
      long long least = cycles[ways][of];
      for (int round = 1; round < kRounds; ++round)
        least = cycles[round * kWays + ways][of] < least ? cycles[round * kWays + ways][of] : least;
      std::printf(" %.1f", static_cast<double>(least) / kLoads);
    }
    std::printf("\n");
  }
  CHECK(cudaFree(cycles));
  CHECK(cudaFree(out));
}

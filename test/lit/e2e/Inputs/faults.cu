// What test/gpu/faults.py makes trouble for. The first argument names what to do, whose accesses to global memory stand with it; the
// exit status is 0 if the results are right and the last error is the program's own.
#include <cstdio>
#include <cstdlib>
#include <cupr/control.h>
#include <string>
#include <vector>

// Scattered loads: records that pack badly.
__global__ void gather(const unsigned *in, unsigned *out, unsigned mask, unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (unsigned round = 0; round < rounds; ++round)
    sum += in[(i * 2654435761u + round * 40503u) & mask];
  out[i] = sum;
}

__global__ void put(unsigned *out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void nothing(unsigned *) {}

// The last block alone stores, once per thread.
__global__ void putLast(unsigned *out) {
  if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1 && blockIdx.z == gridDim.z - 1)
    out[threadIdx.x] = 1;
}

// Each thread takes the lock in turn, those of a warp too.
__global__ void locked(unsigned *lock, volatile unsigned *sum) {
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0u, 1u) == 0u) {
      *sum = *sum + 1;
      __threadfence();
      atomicExch(lock, 0u);
      done = true;
    }
}

__global__ void trapping(unsigned *out) {
  out[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0)
    __trap();
}

static unsigned *zeros(std::size_t count) {
  unsigned *memory = nullptr;
  cudaMalloc(&memory, count * sizeof *memory);
  cudaMemset(memory, 0, count * sizeof *memory);
  return memory;
}

/// Whether all `count` values are `value`.
static bool holds(const unsigned *memory, std::size_t count, unsigned value) {
  std::vector<unsigned> values(count);
  if (cudaMemcpy(values.data(), memory, count * sizeof *memory, cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  for (const unsigned each : values)
    if (each != value)
      return false;
  return true;
}

// 65,536 threads, a load in each round and a store: 1,114,112 accesses in 16 rounds, 67,174,400 in 1024.
static bool runGather(unsigned rounds) {
  const unsigned count = 65536;
  std::vector<unsigned> ones(count, 1);
  unsigned *in = zeros(count), *out = zeros(count);
  cudaMemcpy(in, ones.data(), count * sizeof *in, cudaMemcpyHostToDevice);
  gather<<<count / 256, 256>>>(in, out, count - 1, rounds);
  return holds(out, count, rounds);
}

// 64 streams, 5 launches each of 8 blocks of 64 threads, a load and a store: 327,680 accesses in 320 launches.
static bool runStreams() {
  std::vector<cudaStream_t> streams(64);
  unsigned *out = zeros(64 * 512);
  cudaDeviceSynchronize();
  for (cudaStream_t &stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int turn = 0; turn < 5; ++turn)
    for (std::size_t i = 0; i < streams.size(); ++i)
      put<<<8, 64, 0, streams[i]>>>(out + 512 * i);
  return cudaDeviceSynchronize() == cudaSuccess && holds(out, 64 * 512, 5);
}

// 10,000 launches of 32 threads, a load and a store: 640,000 accesses.
static bool runTiny() {
  unsigned *out = zeros(32);
  for (int i = 0; i < 10000; ++i)
    put<<<1, 32>>>(out);
  return holds(out, 32, 10000);
}

// 100 launches without an access.
static bool runEmpty() {
  for (int i = 0; i < 100; ++i)
    nothing<<<3, 96>>>(nullptr);
  return cudaDeviceSynchronize() == cudaSuccess;
}

// 32 accesses, in the last block of the grid that the arguments give.
static bool runLast(char **grid) {
  unsigned *out = zeros(32);
  const auto extent = [&](int i) { return static_cast<unsigned>(strtoul(grid[i], nullptr, 10)); };
  putLast<<<dim3(extent(0), extent(1), extent(2)), 32>>>(out);
  return holds(out, 32, 1);
}

// 256 threads: how often they try is open.
static bool runLocked() {
  unsigned *lock = zeros(2);
  locked<<<4, 64>>>(lock, lock + 1);
  return holds(lock, 1, 0) && holds(lock + 1, 1, 256);
}

// Two launches of 128 and 64 accesses, the second of which fails when the first has been written.
static bool runTrap() {
  unsigned *out = zeros(64);
  put<<<2, 32>>>(out);
  if (!holds(out, 64, 1))
    return false;
  cuprFlush();
  trapping<<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}

// Until it is ended. Says when the first launches are over.
static bool runForever() {
  unsigned *out = zeros(512);
  for (unsigned i = 0;; ++i) {
    put<<<8, 64>>>(out);
    if (i == 50) {
      cudaDeviceSynchronize();
      std::puts("running");
      std::fflush(stdout);
    }
  }
}

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const cudaError_t own = cudaSetDevice(-1); // an error of the program's own, which stays
  const bool right = what == "gather" && argc == 3    ? runGather(static_cast<unsigned>(atoi(argv[2])))
                     : what == "streams"              ? runStreams()
                     : what == "tiny"                 ? runTiny()
                     : what == "empty"                ? runEmpty()
                     : what == "last" && argc == 5    ? runLast(argv + 2)
                     : what == "locked"               ? runLocked()
                     : what == "trap"                 ? runTrap()
                     : what == "forever"              ? runForever()
                                                      : false;
  if (!right)
    return 1;
  return what == "trap" || (own != cudaSuccess && cudaGetLastError() == own) ? 0 : 2;
}

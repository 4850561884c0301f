// Barriers of a part of the block, with names or as objects, and asynchronous copies: warps that take part in
// the wrong way, or read before they have waited.
#include "cases.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>

#include <cstdint>

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kWarp = 32, kHalf = kThreads / 2;

// Pairs of warps wait for each other, and read from the other pair.
__global__ void namedPairs(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t]; //~ namedPairs: race-warps
  if (fixed)
    asm volatile("bar.sync 1, 128;" ::: "memory");
  else
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / kHalf) : "memory");
  out[t] = cells[t ^ kHalf]; //~ namedPairs: race-warps
}

// Makers wait and takers only arrive; it should be the other way round.
__global__ void takersArrive(const int *in, int *out, bool fixed) {
  __shared__ int cells[kHalf];
  const int t = threadIdx.x;
  if (t < kHalf) {
    cells[t] = in[t] + 1; //~ takersArrive: race-warps
    if (fixed)
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    else
      asm volatile("bar.sync 1, 128;" ::: "memory");
  } else {
    if (fixed)
      asm volatile("bar.sync 1, 128;" ::: "memory");
    else
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    out[t] = cells[t - kHalf]; //~ takersArrive: race-warps
  }
}

// Makers and takers wait at barriers of different names.
__global__ void otherNames(const int *in, int *out, bool fixed) {
  __shared__ int cells[kHalf];
  const int t = threadIdx.x;
  const int name = fixed || t < kHalf ? 1 : 2, threads = fixed ? kThreads : kHalf;
  if (t < kHalf)
    cells[t] = 5 * in[t]; //~ otherNames: race-warps
  asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
  if (t >= kHalf)
    out[t] = cells[t - kHalf]; //~ otherNames: race-warps
}

// Makers fill the cells again without waiting until the takers have emptied them.
__global__ void notEmptied(const int *in, int *out, bool fixed) {
  __shared__ int cells[kHalf];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (t < kHalf)
      cells[t] = in[round * kHalf + t]; //~ notEmptied: race-warps
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (t >= kHalf)
      sum += cells[t - kHalf]; //~ notEmptied: race-warps
    if (fixed)
      asm volatile("bar.sync 2, 128;" ::: "memory");
  }
  out[t] = sum;
}

// Each warp asks its own lanes where it should ask the block, and doesn't wait for it.
__global__ void askedWarp(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  const int value = in[t];
  cells[t] = value; //~ askedWarp: race-warps
  const int any = fixed ? __syncthreads_or(value == 77) : __any_sync(0xffffffff, value == 77);
  out[t] = cells[kThreads - 1 - t] + (any != 0); //~ askedWarp: race-warps
}

// The threads that happen to be together wait, and not the block.
__global__ void coalescedSync(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t]; //~ coalescedSync: race-warps
  if (fixed)
    cg::this_thread_block().sync();
  else
    cg::coalesced_threads().sync();
  out[t] = cells[(t + 3 * kWarp) % kThreads]; //~ coalescedSync: race-warps
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Who has arrived reads before it has waited.
__global__ void readBeforeWait(const int *in, int *out, bool fixed) {
  __shared__ Barrier ready;
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  if (t == 0)
    init(&ready, kThreads);
  __syncthreads();
  cells[t] = in[t]; //~ readBeforeWait: race-warps
  auto token = ready.arrive();
  if (fixed)
    ready.wait(std::move(token));
  out[t] = cells[kThreads - 1 - t]; //~ readBeforeWait: race-warps
  if (!fixed)
    ready.wait(std::move(token));
}

// The first warp fills the cells again after it has arrived for the readers' phase, and before that is over.
__global__ void refilledTooEarly(const int *in, int *out, bool fixed) {
  __shared__ Barrier filled, emptied;
  __shared__ int cells[kWarp];
  const int t = threadIdx.x;
  if (t == 0) {
    init(&filled, kThreads);
    init(&emptied, kThreads);
  }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (t < kWarp)
      cells[t] = in[round * kWarp + t]; //~ refilledTooEarly: race-warps on gpu
    filled.arrive_and_wait();
    if (t >= kWarp)
      sum += cells[t % kWarp]; //~ refilledTooEarly: race-warps on gpu
    if (fixed)
      emptied.arrive_and_wait();
  }
  out[t] = sum;
}

__device__ unsigned shared(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void initialise(std::uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(barrier)), "r"(count) : "memory");
}

__device__ std::uint64_t arrive(std::uint64_t *barrier) {
  std::uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared(barrier)) : "memory");
  return state;
}

__device__ void wait(std::uint64_t *barrier, std::uint64_t state) {
  int over;
  do
    asm volatile("{ .reg .pred p;\n mbarrier.test_wait.shared.b64 p, [%1], %2;\n selp.b32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(shared(barrier)), "l"(state)
                 : "memory");
  while (!over);
}

// Behind the arrival, what others have written is read without a look at the barrier.
__global__ void notTested(const int *in, int *out, bool fixed) {
  __shared__ std::uint64_t barrier;
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  if (t == 0)
    initialise(&barrier, kThreads);
  __syncthreads();
  cells[t] = in[t]; //~ notTested: race-warps
  const std::uint64_t state = arrive(&barrier);
  if (fixed)
    wait(&barrier, state);
  out[t] = cells[t ^ 96]; //~ notTested: race-warps
  if (!fixed)
    wait(&barrier, state);
}

// The barrier waits for half of the threads, and the others write behind their arrival.
__global__ void tooFewArrivals(const int *in, int *out, bool fixed) {
  __shared__ std::uint64_t barrier;
  __shared__ int cells[kThreads];
  const int t = threadIdx.x, expected = fixed ? kThreads : kHalf;
  if (t == 0)
    initialise(&barrier, expected);
  __syncthreads();
  cells[t] = in[t]; //~ tooFewArrivals: race-warps
  if (t < expected)
    wait(&barrier, arrive(&barrier));
  else
    out[t] = -1;
  if (t < kHalf)
    out[t] = cells[t + kHalf]; //~ tooFewArrivals: race-warps
}

// In the second round the threads arrive, and nobody waits.
__global__ void secondRound(const int *in, int *out, bool fixed) {
  __shared__ std::uint64_t filled, emptied;
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  if (t == 0) {
    initialise(&filled, kThreads);
    initialise(&emptied, kThreads);
  }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 2; ++round) {
    cells[t] = in[round * kThreads + t]; //~ secondRound: race-warps on gpu
    const std::uint64_t state = arrive(&filled);
    if (fixed || round == 0)
      wait(&filled, state);
    sum += cells[kThreads - 1 - t]; //~ secondRound: race-warps on gpu
    wait(&emptied, arrive(&emptied));
  }
  out[t] = sum;
}

// Each thread waits for its own copies, and reads what other warps have copied.
__global__ void copiesOfOthers(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int)); //~ copiesOfOthers: race-warps
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (fixed)
    __syncthreads();
  out[t] = tile[kThreads - 1 - t]; //~ copiesOfOthers: race-warps
}

// The next copy into the buffer begins while other warps may still read it.
__global__ void bufferInUse(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    __pipeline_memcpy_async(&tile[t], &in[round * kThreads + t], sizeof(int)); //~ bufferInUse: race-warps
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += tile[kThreads - 1 - t]; //~ bufferInUse: race-warps
    if (fixed)
      __syncthreads();
    else
      __syncwarp();
  }
  out[t] = sum;
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(namedPairs, 1, kThreads),
                       PLAIN_CASE(takersArrive, 1, kThreads),
                       PLAIN_CASE(otherNames, 1, kThreads),
                       PLAIN_CASE(notEmptied, 1, kThreads),
                       PLAIN_CASE(askedWarp, 1, kThreads),
                       PLAIN_CASE(coalescedSync, 1, kThreads),
                       PLAIN_CASE(readBeforeWait, 1, kThreads),
                       PLAIN_CASE(refilledTooEarly, 1, kThreads),
                       PLAIN_CASE(notTested, 1, kThreads),
                       PLAIN_CASE(tooFewArrivals, 1, kThreads),
                       PLAIN_CASE(secondRound, 1, kThreads),
                       PLAIN_CASE(copiesOfOthers, 1, kThreads),
                       PLAIN_CASE(bufferInUse, 1, kThreads),
                   });
}

// Threads of one block that meet different barriers, or miss one at which the others wait.
//
// Each thread works on cells of its own, so that nothing races although the barriers don't fit. The lanes of
// a warp stay together: a GPU may wait forever where they meet different barriers.
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kWarp = 32;

// Each branch has its own barrier.
__global__ void eachBranch(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t];
  if (t < kThreads / 2) {
    cells[t] *= 2;
    if (!fixed)
      __syncthreads(); //~ eachBranch: divergent-barrier
  } else {
    cells[t] += 5;
    if (!fixed)
      __syncthreads(); //~ eachBranch: divergent-barrier
  }
  if (fixed)
    __syncthreads();
  out[t] = cells[t];
}

// Half of the block misses a barrier, and meets the others' at the next one.
__global__ void halfMisses(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t];
  if (fixed || t < kThreads / 2)
    __syncthreads(); //~ halfMisses: divergent-barrier
  cells[t] += 1;
  __syncthreads(); //~ halfMisses: divergent-barrier
  out[t] = cells[t];
}

// Warps go round a loop with a barrier as often as they have work.
__global__ void ownRounds(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x, rounds = fixed ? kThreads / kWarp : 1 + t / kWarp;
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum += in[round * kThreads + t];
    __syncthreads(); //~ ownRounds: divergent-barrier
  }
  out[t] = sum;
  __syncthreads(); //~ ownRounds: divergent-barrier
  out[t] += in[t];
}

// One warp goes on to the next round where the others wait in the middle of this one.
__global__ void continued(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 2; ++round) {
    sum += in[round * kThreads + t];
    __syncthreads(); //~ continued: divergent-barrier
    if (!fixed && t / kWarp == 1)
      continue;
    sum *= 3;
    __syncthreads(); //~ continued: divergent-barrier
  }
  out[t] = sum;
}

// Each half counts for itself, as it thinks: the barriers count the threads of the block.
__global__ void eachCounts(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  const int value = in[t];
  int counted;
  if (fixed || t < kThreads / 2)
    counted = __syncthreads_count(value % 2); //~ eachCounts: divergent-barrier
  else
    counted = __syncthreads_count(value % 5 == 0); //~ eachCounts: divergent-barrier
  out[t] = counted + value;
}

// A group's barrier in one branch, the block's in the other.
__global__ void groupAndBlock(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  const auto block = cg::this_thread_block();
  if (!fixed && t >= kThreads / 2) {
    value += 7;
    __syncthreads(); //~ groupAndBlock: divergent-barrier
  } else {
    value *= 3;
    block.sync(); //~ groupAndBlock: divergent-barrier
  }
  out[t] = value;
}

// Each warp has its case of the switch, with its barrier.
__global__ void eachCase(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = in[t];
  switch (fixed ? 0 : t / kWarp) {
  case 0:
    value += 1;
    __syncthreads(); //~ eachCase: divergent-barrier
    break;
  case 1:
    value *= 2;
    __syncthreads(); //~ eachCase: divergent-barrier
    break;
  default:
    value -= 3;
    __syncthreads(); //~ eachCase: divergent-barrier
  }
  out[t] = value;
}

// Threads without work should return in front of all barriers, and not go to the last one.
__global__ void noWork(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int value = 0;
  if (t < 3 * kWarp) {
    value = in[t];
    __syncthreads(); //~ noWork: divergent-barrier
    value *= 2;
  } else if (fixed) {
    return;
  }
  __syncthreads(); //~ noWork: divergent-barrier
  out[t] = value;
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(eachBranch, 1, kThreads),
                       PLAIN_CASE(halfMisses, 1, kThreads),
                       PLAIN_CASE(ownRounds, 1, kThreads),
                       PLAIN_CASE(continued, 1, kThreads),
                       PLAIN_CASE(eachCounts, 1, kThreads),
                       PLAIN_CASE(groupAndBlock, 1, kThreads),
                       PLAIN_CASE(eachCase, 1, kThreads),
                       PLAIN_CASE(noWork, 1, kThreads),
                   });
}

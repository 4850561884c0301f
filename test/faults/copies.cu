// Asynchronous copies (cp.async): what they bring is there when the thread that issued them has waited for their group.
#include "cases.h"

#include <cuda_pipeline.h>

constexpr int kThreads = 64;

// The barrier alone: copies may come later.
__global__ void barrierAlone(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int)); //~ barrierAlone: race-warps
  __pipeline_commit();
  if (fixed)
    __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[kThreads - 1 - t]; //~ barrierAlone: race-warps
}

// Each thread reads what it has copied itself.
__global__ void ownCopy(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int)); //~ ownCopy: race-lanes
  __pipeline_commit();
  if (fixed)
    __pipeline_wait_prior(0);
  out[t] = tile[t]; //~ ownCopy: race-lanes
}

// Two stages: while one is read, the next one is copied. The newest group may be on its way then, and no other: that of the stage, into
// which the next but one is copied.
__global__ void stages(const int *in, int *out, bool fixed) {
  __shared__ int tile[2][kThreads];
  const int t = threadIdx.x;
  constexpr int kRounds = 8;
  int sum = 0;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4); //~ stages: race-warps; stages: race-lanes
  __pipeline_commit();
  for (int round = 0; round < kRounds; ++round) {
    const int next = round + 1;
    int *const to = &tile[next % 2][t];
    if (next < kRounds)
      __pipeline_memcpy_async(to, &in[next * kThreads + t], 4); //~ stages: race-warps; stages: race-lanes
    __pipeline_commit();
    if (fixed)
      __pipeline_wait_prior(1);
    else
      __pipeline_wait_prior(2);
    __syncthreads();
    sum += tile[round % 2][kThreads - 1 - t]; //~ stages: race-warps
    __syncthreads();
  }
  out[t] = sum;
}

// The wait stands behind the barrier: each thread knows of its own copies alone.
__global__ void waitBehind(const int *in, int *out, bool fixed) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int)); //~ waitBehind: race-warps
  __pipeline_commit();
  if (fixed)
    __pipeline_wait_prior(0);
  __syncthreads();
  if (!fixed)
    __pipeline_wait_prior(0);
  out[t] = tile[(t + 32) % kThreads]; //~ waitBehind: race-warps
}

// Rows that are left are set to 0 by stores, while copies of others are on their way, and a copy into what was set.
__global__ void setAndCopied(const int *in, int *out, bool fixed) {
  __shared__ int tile[2 * kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int)); //~ setAndCopied: race-lanes
  if (fixed)
    tile[kThreads + t] = 0;
  else
    tile[t] = 0; //~ setAndCopied: race-lanes
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(barrierAlone, 1, kThreads),
                       PLAIN_CASE(ownCopy, 1, kThreads),
                       PLAIN_CASE(stages, 1, kThreads),
                       PLAIN_CASE(waitBehind, 1, kThreads),
                       PLAIN_CASE(setAndCopied, 1, kThreads),
                   });
}

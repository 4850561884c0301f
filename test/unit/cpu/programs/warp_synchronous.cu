// Code that takes a warp's volatile accesses of shared memory for simultaneous, as it was written before
// Volta, and lanes of a warp that wait for each other through such memory.
#include "check.h"
#include <vector>

constexpr int kThreads = 128;

__device__ __noinline__ void addUp(volatile int *values, int t) {
  values[t] += values[t + 32];
  values[t] += values[t + 16];
  values[t] += values[t + 8];
  values[t] += values[t + 4];
  values[t] += values[t + 2];
  values[t] += values[t + 1];
}

__global__ void reduce(const int *in, int *out, int *again) {
  __shared__ int values[kThreads];
  extern __shared__ int more[];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  values[t] = more[t] = in[i];
  __syncthreads();
  if (t < 64)
    values[t] += values[t + 64];
  if (t < 64)
    more[t] += more[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile int *v = values;
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
    addUp(more, t); // by a generic address
  }
  if (t == 0) {
    out[blockIdx.x] = values[0];
    again[blockIdx.x] = more[0];
  }
}

// A scan within each warp, in a loop, with lanes that leave out their part.
__global__ void scan(const int *in, int *out) {
  volatile __shared__ int values[kThreads];
  const int t = threadIdx.x, lane = t % 32;
  values[t] = in[t];
  for (int offset = 1; offset < 32; offset *= 2)
    if (lane >= offset) {
      const int before = values[t - offset];
      values[t] = values[t] + before;
    }
  out[t] = values[t];
}

// The lowest lane waits for the highest one, and that for the others' turns.
__global__ void turns(int *out) {
  volatile __shared__ int turn;
  const int lane = threadIdx.x;
  if (lane == 0)
    turn = 31;
  __syncwarp();
  while (turn != lane) {
  }
  out[lane] = 31 - lane;
  turn = lane - 1;
}

// A warp waits for a flag that the other one sets late.
__global__ void flag(int *out) {
  volatile __shared__ int set;
  if (threadIdx.x == 0)
    set = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (!set) {
    }
  } else if (threadIdx.x == 63) {
    set = 1;
  }
  out[threadIdx.x] = set;
}

int main() {
  const int blocks = 5, count = blocks * kThreads;
  std::vector<int> values(count), found(count);
  for (int i = 0; i < count; ++i)
    values[i] = i * 7 % 101;
  int *in, *out, *again;
  CUDA(cudaMalloc(&in, count * sizeof(int)));
  CUDA(cudaMalloc(&out, count * sizeof(int)));
  CUDA(cudaMalloc(&again, count * sizeof(int)));
  CUDA(cudaMemcpy(in, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));

  reduce<<<blocks, kThreads, kThreads * sizeof(int)>>>(in, out, again);
  for (const int *result : {out, again}) {
    CUDA(cudaMemcpy(found.data(), result, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    for (int block = 0; block < blocks; ++block) {
      int sum = 0;
      for (int t = 0; t < kThreads; ++t)
        sum += values[block * kThreads + t];
      CHECK(found[block] == sum, "block %d: %d, not %d", block, found[block], sum);
    }
  }

  scan<<<1, kThreads>>>(in, out);
  CUDA(cudaMemcpy(found.data(), out, kThreads * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0, sum = 0; t < kThreads; ++t) {
    sum = (t % 32 ? sum : 0) + values[t];
    CHECK(found[t] == sum, "thread %d: %d, not %d", t, found[t], sum);
  }

  turns<<<1, 32>>>(out);
  CUDA(cudaMemcpy(found.data(), out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int lane = 0; lane < 32; ++lane)
    CHECK(found[lane] == 31 - lane, "lane %d: %d", lane, found[lane]);

  flag<<<1, 64>>>(out);
  CUDA(cudaMemcpy(found.data(), out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int lane = 0; lane < 32; ++lane)
    CHECK(found[lane] == 1, "lane %d", lane);
  std::puts("ok");
}

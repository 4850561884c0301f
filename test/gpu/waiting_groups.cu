// Why lanes that wait stay together (docs/design/0009-lanes-that-wait-stay-together.md), without anything of this project's.
//
//     waiting_groups alone|opaque|together [BLOCKS]
//
// Groups of lanes claim positions, wait until a limit has passed theirs, and write there who they are. While one waits, other
// groups of its warp go on and come to the same code.
//
//   alone     the leader waits alone, and the group goes on with the mask that __activemask() gave it: with ptxas 13 for sm_90
//             this does not end (once on an H100, once on an H200)
//   opaque    the same with a mask of which ptxas does not know that it came from __activemask(): right
//   together  what the hooks do: the whole group waits, and the mask is opaque behind the wait: right
//
// Prints groups, how many of them ran together with lanes of others, and how many positions are wrong. Exit status 1 if any is.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

using u32 = unsigned;
using u64 = unsigned long long;

struct Queue {
  u64 reserved, limit,
      running; ///< positions claimed, positions that may be written, blocks that have not ended
  u64 together, wrong;
};
/// What stands at a position: the mask of its group, by its leader, and by each of its lanes.
struct Position {
  u32 head, lanes[32];
};
enum class Way { Alone, Opaque, Together };

__device__ inline u32 laneId() {
  u32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ inline u32 opaque(u32 mask) {
  u32 below;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  return mask | (below >> 31);
}
__device__ inline u64 load(const u64 *address) { return *const_cast<const volatile u64 *>(address); }

template <Way way>
__device__ __attribute__((always_inline)) inline void claim(Queue *queue, Position *positions, u64 count) {
  u32 active = __activemask();
  if (way == Way::Opaque)
    active = opaque(active);
  const u32 leader = __ffs(active) - 1;
  const bool leads = laneId() == leader;
  u64 position = 0;
  bool isReady = true;
  if (leads) {
    position = atomicAdd(&queue->reserved, 1ull);
    isReady = position < load(&queue->limit);
  }
  if (!__all_sync(active, isReady)) {
    u32 time = 64;
    if (way == Way::Together) {
      active = opaque(active);
      for (bool isFree = false; !isFree; __nanosleep(time), time = time < 8192 ? 2 * time : time) {
        if (leads)
          isFree = position < load(&queue->limit);
        isFree = __shfl_sync(active, isFree, leader);
      }
    } else {
      if (leads)
        for (; position >= load(&queue->limit); time = time < 8192 ? 2 * time : time)
          __nanosleep(time);
      __syncwarp(active);
    }
    __threadfence();
  }
  const u64 shared = __shfl_sync(active, position, leader);
  if (__activemask() & ~active)
    atomicAdd(&queue->together, 1ull);
  if (shared < count)
    positions[shared].lanes[laneId()] = active;
  __syncwarp(active);
  if (leads && position < count)
    positions[position].head = active;
  __syncwarp(active);
}

template <Way way>
__global__ void groups(Queue *queue, Position *positions, u64 count, const u32 *in, u32 *out, u32 size) {
  if (blockIdx.x == 0) { // lets the others on, in steps
    if (threadIdx.x == 0)
      while (atomicAdd(&queue->running, 0ull) != 0) {
        __nanosleep(20000);
        atomicMax(&queue->limit, load(&queue->reserved));
      }
    return;
  }
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 h = i * 2654435761u + 1u, sum = 0;
  for (u32 round = 0; round < 16; ++round) {
    h ^= h << 13, h ^= h >> 17, h ^= h << 5;
    if (h & 1) {
      claim<way>(queue, positions, count);
      sum += in[(i + round * 32) % size];
    }
    if (h & 6) {
      claim<way>(queue, positions, count);
      sum += in[(i + round * 64) % size];
    }
    if ((h & 24) == 0) {
      claim<way>(queue, positions, count);
      out[(i + round * 32) % size] = round;
    }
  }
  out[i % size] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&queue->running, ~0ull);
}

__global__ void judge(Queue *queue, const Position *positions, u64 count) {
  for (u64 at = blockIdx.x * u64(blockDim.x) + threadIdx.x; at < count; at += u64(gridDim.x) * blockDim.x) {
    bool isRight = positions[at].head != 0;
    for (u32 lane = 0; lane < 32; ++lane)
      isRight &= positions[at].lanes[lane] == (positions[at].head >> lane & 1 ? positions[at].head : 0);
    if (!isRight)
      atomicAdd(&queue->wrong, 1ull);
  }
}

int main(int argc, char **argv) {
  const char *const name = argc > 1 ? argv[1] : "";
  void (*const kernel)(Queue *, Position *, u64, const u32 *, u32 *, u32) =
      !std::strcmp(name, "alone")      ? groups<Way::Alone>
      : !std::strcmp(name, "opaque")   ? groups<Way::Opaque>
      : !std::strcmp(name, "together") ? groups<Way::Together>
                                       : nullptr;
  const u32 blocks = argc > 2 ? std::atoi(argv[2]) : 2000, size = 1 << 20;
  if (!kernel || blocks < 2) {
    std::fprintf(stderr, "usage: waiting_groups alone|opaque|together [blocks, 2 or more]\n");
    return 2;
  }
  const u64 count = u64(blocks) * 8 * 16 * 3 * 12;
  Queue *queue, start{0, 0, blocks - 1, 0, 0};
  Position *positions;
  u32 *in, *out;
  cudaMalloc(&queue, sizeof *queue);
  cudaMalloc(&positions, count * sizeof *positions);
  cudaMalloc(&in, size * sizeof *in);
  cudaMalloc(&out, size * sizeof *out);
  cudaMemset(in, 1, size * sizeof *in);
  cudaMemset(positions, 0, count * sizeof *positions);
  cudaMemcpy(queue, &start, sizeof start, cudaMemcpyHostToDevice);
  kernel<<<blocks, 256>>>(queue, positions, count, in, out, size);
  cudaMemcpy(&start, queue, sizeof start, cudaMemcpyDeviceToHost);
  judge<<<1000, 256>>>(queue, positions, start.reserved < count ? start.reserved : count);
  const cudaError_t error = cudaMemcpy(&start, queue, sizeof start, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("%llu groups, %llu lanes that ran together with another group's, %llu wrong positions\n",
              start.reserved, start.together, start.wrong);
  return start.wrong != 0;
}

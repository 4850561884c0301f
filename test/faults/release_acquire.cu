// Data that threads hand on by atomic objects, whose order or scope is too weak.
#include "cases.h"

#include <cuda/atomic>

constexpr int kBlocks = 4, kThreads = 64, kWarp = 32;

using DeviceRef = cuda::atomic_ref<int, cuda::thread_scope_device>;
using BlockRef = cuda::atomic_ref<int, cuda::thread_scope_block>;

// The flag's store releases nothing.
__global__ void relaxedStore(int *data, int *flag, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42; //~ relaxedStore: race-blocks
    if (fixed)
      ready.store(1, cuda::memory_order_release);
    else
      ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0)
      ;
    *out = *data; //~ relaxedStore: race-blocks
  }
}

// The flag's load acquires nothing.
__global__ void relaxedLoad(int *data, int *flag, int *out, bool fixed) {
  const int t = threadIdx.x;
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    data[t] = t; //~ relaxedLoad: race-blocks
    __syncthreads();
    if (t == 0)
      ready.store(1, cuda::memory_order_release);
  } else {
    if (t == 0) {
      if (fixed)
        while (ready.load(cuda::memory_order_acquire) == 0)
          ;
      else
        while (ready.load(cuda::memory_order_relaxed) == 0)
          ;
    }
    __syncthreads();
    out[t] = data[t]; //~ relaxedLoad: race-blocks
  }
}

// Blocks use a flag that is for the threads of one block; the wait has an end, since nobody promises that it
// is seen.
template <cuda::thread_scope Scope> __global__ void blockScope(int *data, int *flag, int *out) {
  if (threadIdx.x != 0)
    return;
  cuda::atomic_ref<int, Scope> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;                                 //~ blockScope: race-blocks
    ready.store(1, cuda::memory_order_release); //~ blockScope: race-blocks
  } else {
    bool seen = false;
    for (int i = 0; !seen && (i < 1000 || Scope == cuda::thread_scope_device); ++i)
      seen = ready.load(cuda::memory_order_acquire) != 0; //~ blockScope: race-blocks
    *out = *data;                                         //~ blockScope: race-blocks
  }
}

// The block that comes last has been found by relaxed counting.
__global__ void lastRelaxed(int *sums, int *done, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef count(*done);
  sums[blockIdx.x] = 10 * blockIdx.x; //~ lastRelaxed: race-blocks
  const int before =
      fixed ? count.fetch_add(1, cuda::memory_order_acq_rel) : count.fetch_add(1, cuda::memory_order_relaxed);
  if (before == kBlocks - 1) {
    int sum = 0;
    for (int block = 0; block < kBlocks; ++block)
      sum += sums[block]; //~ lastRelaxed: race-blocks
    *total = sum;
  }
}

// Counting releases, but the last block doesn't acquire.
__global__ void lastReleases(int *sums, int *done, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef count(*done);
  sums[blockIdx.x] = 10 * blockIdx.x; //~ lastReleases: race-blocks
  if (count.fetch_add(1, cuda::memory_order_release) == kBlocks - 1) {
    if (fixed)
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    int sum = 0;
    for (int block = 0; block < kBlocks; ++block)
      sum += sums[block]; //~ lastReleases: race-blocks
    *total = sum;
  }
}

// Counting acquires, but the blocks in front don't release.
__global__ void lastAcquires(int *sums, int *done, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef count(*done);
  sums[blockIdx.x] = 10 * blockIdx.x; //~ lastAcquires: race-blocks
  if (fixed)
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
  if (count.fetch_add(1, cuda::memory_order_acquire) == kBlocks - 1) {
    int sum = 0;
    for (int block = 0; block < kBlocks; ++block)
      sum += sums[block]; //~ lastAcquires: race-blocks
    *total = sum;
  }
}

// The fences around a relaxed flag are for one block.
__global__ void blockFences(int *data, int *flag, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42; //~ blockFences: race-blocks
    if (fixed)
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    else
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0)
      ;
    if (fixed)
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    else
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
    *out = *data; //~ blockFences: race-blocks
  }
}

// The lock is taken by a relaxed exchange.
__global__ void lockTakenRelaxed(int *lock, int *total, int *, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef held(*lock);
  if (fixed)
    while (held.exchange(1, cuda::memory_order_acquire) != 0)
      ;
  else
    while (held.exchange(1, cuda::memory_order_relaxed) != 0)
      ;
  *total += blockIdx.x; //~ lockTakenRelaxed: race-blocks
  held.store(0, cuda::memory_order_release);
}

// The lock is given back by a relaxed store.
__global__ void lockGivenRelaxed(int *lock, int *total, int *, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef held(*lock);
  int open = 0;
  while (!held.compare_exchange_strong(open, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed))
    open = 0;
  *total += blockIdx.x; //~ lockGivenRelaxed: race-blocks
  if (fixed)
    held.store(0, cuda::memory_order_release);
  else
    held.store(0, cuda::memory_order_relaxed);
}

// The second block tells the third what the first has told it, and releases nothing.
__global__ void middleman(int *data, int *flags, int *out, bool fixed) {
  if (threadIdx.x != 0 || blockIdx.x > 2)
    return;
  DeviceRef first(flags[0]), second(flags[1]);
  if (blockIdx.x == 0) {
    *data = 42; //~ middleman: race-blocks
    first.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (first.load(cuda::memory_order_acquire) == 0)
      ;
    if (fixed)
      second.store(1, cuda::memory_order_release);
    else
      second.store(1, cuda::memory_order_relaxed);
  } else {
    while (second.load(cuda::memory_order_acquire) == 0)
      ;
    *out = *data; //~ middleman: race-blocks
  }
}

// A cell goes to and fro between two blocks: that it has been read is told by a relaxed store.
__global__ void returnedRelaxed(int *cell, int *turn, int *out, bool fixed) {
  if (threadIdx.x != 0 || blockIdx.x > 1)
    return;
  DeviceRef whose(*turn);
  for (int round = 0; round < 3; ++round) {
    if (blockIdx.x == 0) {
      while (whose.load(cuda::memory_order_acquire) != 2 * round)
        ;
      *cell = round; //~ returnedRelaxed: race-blocks nowhere
      whose.store(2 * round + 1, cuda::memory_order_release);
    } else {
      while (whose.load(cuda::memory_order_acquire) != 2 * round + 1)
        ;
      out[round] = *cell; //~ returnedRelaxed: race-blocks nowhere
      if (fixed)
        whose.store(2 * round + 2, cuda::memory_order_release);
      else
        whose.store(2 * round + 2, cuda::memory_order_relaxed);
    }
  }
}

// One lane raises the flag for its warp, and hasn't waited for it.
__global__ void lanesNotAwaited(int *data, int *flag, int *out, bool fixed) {
  const int lane = threadIdx.x;
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    data[lane] = lane + 1; //~ lanesNotAwaited: race-blocks
    if (fixed)
      __syncwarp();
    if (lane == 0)
      ready.store(1, cuda::memory_order_release);
  } else {
    if (lane == 0)
      while (ready.load(cuda::memory_order_acquire) == 0)
        ;
    __syncwarp();
    out[lane] = data[lane]; //~ lanesNotAwaited: race-blocks
  }
}

// One lane waits for the flag, and its warp doesn't wait for it.
__global__ void lanesGoOn(int *data, int *flag, int *out, bool fixed) {
  const int lane = threadIdx.x;
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    data[lane] = lane + 1; //~ lanesGoOn: race-blocks
    __syncwarp();
    if (lane == 0)
      ready.store(1, cuda::memory_order_release);
  } else {
    if (lane == 0)
      while (ready.load(cuda::memory_order_acquire) == 0)
        ;
    if (fixed)
      __syncwarp();
    out[lane] = data[lane]; //~ lanesGoOn: race-blocks
  }
}

// The same in PTX: the flag's store is relaxed.
__global__ void relaxedInPtx(int *data, int *flag, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 42; //~ relaxedInPtx: race-blocks
    if (fixed)
      asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    else
      asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int seen;
    do
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen == 0);
    *out = *data; //~ relaxedInPtx: race-blocks
  }
}

// What atomic references add to is read as a plain number.
__global__ void readAsNumber(int *count, int *, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef counted(*count);
  counted.fetch_add(1, cuda::memory_order_relaxed); //~ readAsNumber: race-blocks
  if (fixed)
    out[blockIdx.x] = counted.load(cuda::memory_order_relaxed);
  else
    out[blockIdx.x] = *count; //~ readAsNumber: race-blocks
}

// One warp hands cells to the other by a flag of the block, and releases nothing.
__global__ void warpsRelaxedStore(int *data, int *, int *out, bool fixed) {
  __shared__ int cells[kWarp], flag;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  BlockRef ready(flag);
  if (warp == 0) {
    cells[lane] = data[lane] + 1; //~ warpsRelaxedStore: race-warps
    __syncwarp();
    if (lane == 0) {
      if (fixed)
        ready.store(1, cuda::memory_order_release);
      else
        ready.store(1, cuda::memory_order_relaxed);
    }
  } else {
    if (lane == 0)
      while (ready.load(cuda::memory_order_acquire) == 0)
        ;
    __syncwarp();
    out[lane] = cells[lane]; //~ warpsRelaxedStore: race-warps
  }
}

// The lane that waits for the other warp does so for itself: its warp doesn't wait for it.
__global__ void warpNotAwaited(int *data, int *, int *out, bool fixed) {
  __shared__ int cells[kWarp], flag;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  BlockRef ready(flag);
  if (warp == 0) {
    cells[lane] = data[lane] + 1; //~ warpNotAwaited: race-warps
    __syncwarp();
    if (lane == 0)
      ready.store(1, cuda::memory_order_release);
  } else {
    if (lane == 0)
      while (ready.load(cuda::memory_order_acquire) == 0)
        ;
    if (fixed)
      __syncwarp();
    out[lane] = cells[lane]; //~ warpNotAwaited: race-warps
  }
}

// A volatile flag between warps, without the fence of the block that it needs.
__global__ void warpsNoFence(int *data, int *, int *out, bool fixed) {
  __shared__ int cell;
  __shared__ volatile int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    cell = data[0] + 5; //~ warpsNoFence: race-warps
    if (fixed)
      __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == kWarp) {
    while (flag == 0)
      ;
    __threadfence_block();
    out[0] = cell; //~ warpsNoFence: race-warps
  }
}

// Warps take a lock of the block and add, and give it back relaxed.
__global__ void warpsLock(int *data, int *, int *out, bool fixed) {
  __shared__ int lock, total;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  if (threadIdx.x == 0)
    lock = total = 0;
  __syncthreads();
  BlockRef held(lock);
  if (lane == 0) {
    while (held.exchange(1, cuda::memory_order_acquire) != 0)
      ;
    total += data[warp] + 1; //~ warpsLock: race-warps
    if (fixed)
      held.store(0, cuda::memory_order_release);
    else
      held.store(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    *out = total;
}

#define ATOMIC_CASE(KERNEL, BLOCKS, THREADS)                                                                 \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> data(kThreads), flags(kThreads), out(kThreads);                                  \
     KERNEL<<<BLOCKS, THREADS>>>(data, flags, out, fixed);                                                   \
   }}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       ATOMIC_CASE(relaxedStore, 2, kThreads),
                       ATOMIC_CASE(relaxedLoad, 2, kThreads),
                       ATOMIC_CASE(lastRelaxed, kBlocks, kThreads),
                       ATOMIC_CASE(lastReleases, kBlocks, kThreads),
                       ATOMIC_CASE(lastAcquires, kBlocks, kThreads),
                       ATOMIC_CASE(blockFences, 2, kThreads),
                       ATOMIC_CASE(lockTakenRelaxed, kBlocks, kThreads),
                       ATOMIC_CASE(lockGivenRelaxed, kBlocks, kThreads),
                       ATOMIC_CASE(middleman, 3, kThreads),
                       ATOMIC_CASE(returnedRelaxed, 2, kThreads),
                       ATOMIC_CASE(lanesNotAwaited, 2, kWarp),
                       ATOMIC_CASE(lanesGoOn, 2, kWarp),
                       ATOMIC_CASE(relaxedInPtx, 2, kThreads),
                       ATOMIC_CASE(readAsNumber, kBlocks, kThreads),
                       ATOMIC_CASE(warpsRelaxedStore, 1, kThreads),
                       ATOMIC_CASE(warpNotAwaited, 1, kThreads),
                       ATOMIC_CASE(warpsNoFence, 1, kThreads),
                       ATOMIC_CASE(warpsLock, 1, kThreads),
                       {"blockScope",
                        [](bool fixed) {
                          const DeviceArray<int> data(1), flag(1), out(1);
                          if (fixed)
                            blockScope<cuda::thread_scope_device><<<2, kThreads>>>(data, flag, out);
                          else
                            blockScope<cuda::thread_scope_block><<<2, kThreads>>>(data, flag, out);
                        }},
                   });
}

// Data that blocks hand on by a flag, a count or a lock, with fences that are missing, too narrow or in the
// wrong place.
#include "cases.h"

constexpr int kBlocks = 4, kThreads = 64;

// The flag may be seen before the data: nothing stands between their stores.
__global__ void noWriterFence(int *data, volatile int *flag, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 42; //~ noWriterFence: race-blocks
    if (fixed)
      __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    __threadfence();
    *out = *data; //~ noWriterFence: race-blocks
  }
}

// The data may be read before the flag: nothing stands between their loads.
__global__ void noReaderFence(int *data, volatile int *flag, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 42; //~ noReaderFence: race-blocks
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    if (fixed)
      __threadfence();
    *out = *data; //~ noReaderFence: race-blocks
  }
}

// A thread tells another one of its block, with a fence that is for that; that one tells the other block, and needs a wider one.
__global__ void toldOn(int *data, volatile int *flag, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    if (t == 0) {
      *data = 42; //~ toldOn: race-blocks
      __threadfence_block();
      *flag = 1;
    } else if (t == 32) {
      while (*flag != 1)
        ;
      if (fixed)
        __threadfence();
      else
        __threadfence_block();
      *flag = 2;
    }
  } else if (t == 0) {
    while (*flag != 2)
      ;
    __threadfence();
    *out = *data; //~ toldOn: race-blocks
  }
}

// The writer's fence is for its own block.
__global__ void narrowWriterFence(int *data, volatile int *flag, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 2 * t; //~ narrowWriterFence: race-blocks
    __syncthreads();
    if (t == 0) {
      if (fixed)
        __threadfence();
      else
        __threadfence_block();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0)
        ;
      __threadfence();
    }
    __syncthreads();
    out[t] = data[t]; //~ narrowWriterFence: race-blocks
  }
}

// The reader's fence is for its own block.
__global__ void narrowReaderFence(int *data, volatile int *flag, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 2 * t; //~ narrowReaderFence: race-blocks
    __syncthreads();
    if (t == 0) {
      __threadfence_system();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0)
        ;
      if (fixed)
        __threadfence_system();
      else
        __threadfence_block();
    }
    __syncthreads();
    out[t] = data[t]; //~ narrowReaderFence: race-blocks
  }
}

// The fence stands in front of the data, where it should stand behind.
__global__ void fenceTooEarly(int *data, volatile int *flag, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    if (!fixed)
      __threadfence();
    *data = 42; //~ fenceTooEarly: race-blocks
    if (fixed)
      __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    __threadfence();
    *out = *data; //~ fenceTooEarly: race-blocks
  }
}

// The flag is raised before there are data.
__global__ void flagFirst(int *data, int *flag, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    if (!fixed && t == 0) {
      atomicExch(flag, 1);
      __threadfence();
    }
    data[t] = t + 3; //~ flagFirst: race-blocks
    __syncthreads();
    if (fixed && t == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (t == 0) {
      while (atomicAdd(flag, 0) == 0)
        ;
      __threadfence();
    }
    __syncthreads();
    out[t] = data[t]; //~ flagFirst: race-blocks
  }
}

// One thread raises the flag for all, and hasn't waited for them.
__global__ void noWriterBarrier(int *data, volatile int *flag, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 7 * t; //~ noWriterBarrier: race-blocks
    if (fixed)
      __syncthreads();
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0)
        ;
      __threadfence();
    }
    __syncthreads();
    out[t] = data[t]; //~ noWriterBarrier: race-blocks
  }
}

// One thread looks at the flag for all, and the others don't wait for it.
__global__ void noReaderBarrier(int *data, volatile int *flag, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = 7 * t; //~ noReaderBarrier: race-blocks
    __syncthreads();
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0)
        ;
      __threadfence();
    }
    if (fixed)
      __syncthreads();
    out[t] = data[t]; //~ noReaderBarrier: race-blocks
  }
}

// The flag is stored as any number is: it races itself, and orders nothing.
__global__ void plainFlag(int *data, int *flag, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 42; //~ plainFlag: race-blocks
    __threadfence();
    if (fixed)
      atomicExch(flag, 1);
    else
      *flag = 1; //~ plainFlag: race-blocks
  } else {
    while (*const_cast<volatile int *>(flag) == 0) //~ plainFlag: race-blocks
      ;
    __threadfence();
    *out = *data; //~ plainFlag: race-blocks
  }
}

// Without fences the data have to be volatile themselves.
template <typename Data> __global__ void plainData(Data *data, volatile int *flag, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 42; //~ plainData: race-blocks
    *flag = 1;
  } else {
    while (*flag == 0)
      ;
    *out = *data; //~ plainData: race-blocks
  }
}

// The last block adds up what the others have stored, without a fence between their stores and their count.
__global__ void lastBlockNoFence(int *sums, unsigned *done, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  sums[blockIdx.x] = 10 * blockIdx.x; //~ lastBlockNoFence: race-blocks
  if (fixed)
    __threadfence();
  if (atomicInc(done, gridDim.x - 1) == gridDim.x - 1) {
    __threadfence();
    int sum = 0;
    for (int block = 0; block < kBlocks; ++block)
      sum += sums[block]; //~ lastBlockNoFence: race-blocks
    *total = sum;
  }
}

// The last block knows that it is the last one, but not that it sees what the others have stored.
__global__ void lastBlockNoAcquire(int *sums, unsigned *done, int *total, bool fixed) {
  __shared__ bool isLast;
  const int t = threadIdx.x;
  if (t == 0) {
    sums[blockIdx.x] = 10 * blockIdx.x; //~ lastBlockNoAcquire: race-blocks
    __threadfence();
    isLast = atomicAdd(done, 1) == gridDim.x - 1;
    if (fixed)
      __threadfence();
  }
  __syncthreads();
  if (isLast && t < 2)
    total[t] = sums[t] + sums[t + 2]; //~ lastBlockNoAcquire: race-blocks
}

// The fence in front of the count is for the block.
__global__ void lastBlockNarrow(int *sums, unsigned *done, int *total, bool fixed) {
  __shared__ bool isLast;
  const int t = threadIdx.x;
  if (t == 0) {
    sums[blockIdx.x] = 10 * blockIdx.x; //~ lastBlockNarrow: race-blocks
    if (fixed)
      __threadfence();
    else
      __threadfence_block();
    isLast = atomicAdd(done, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (isLast && t < 2)
    total[t] = sums[t] + sums[t + 2]; //~ lastBlockNarrow: race-blocks
}

// All threads store, and the one that counts for them hasn't waited.
__global__ void lastBlockNoBarrier(int *sums, unsigned *done, int *total, bool fixed) {
  __shared__ bool isLast;
  const int t = threadIdx.x;
  sums[blockIdx.x * kThreads + t] = t; //~ lastBlockNoBarrier: race-blocks
  if (fixed)
    __syncthreads();
  if (t == 0) {
    __threadfence();
    isLast = atomicAdd(done, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (isLast) {
    int sum = 0;
    for (int block = 0; block < kBlocks; ++block)
      sum += sums[block * kThreads + t]; //~ lastBlockNoBarrier: race-blocks
    total[t] = sum;
  }
}

// A lock without fences: who takes it need not see what was done under it before.
__global__ void lockNoFences(int *lock, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  if (fixed)
    __threadfence();
  *total += blockIdx.x; //~ lockNoFences: race-blocks
  if (fixed)
    __threadfence();
  atomicExch(lock, 0);
}

// The lock is given back without a fence.
__global__ void lockNoRelease(int *lock, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  *total += blockIdx.x; //~ lockNoRelease: race-blocks
  if (fixed)
    __threadfence();
  atomicExch(lock, 0);
}

// The lock is taken without a fence.
__global__ void lockNoAcquire(int *lock, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  if (fixed)
    __threadfence();
  *total += blockIdx.x; //~ lockNoAcquire: race-blocks
  __threadfence();
  atomicExch(lock, 0);
}

// A lock between blocks, whose fences are for one.
__global__ void lockNarrow(int *lock, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  if (fixed)
    __threadfence();
  else
    __threadfence_block();
  *total += blockIdx.x; //~ lockNarrow: race-blocks
  if (fixed)
    __threadfence();
  else
    __threadfence_block();
  atomicExch(lock, 0);
}

// The first block changes the total without the lock under which the others do.
__global__ void lockForgotten(int *lock, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const bool locks = fixed || blockIdx.x != 0;
  if (locks) {
    while (atomicCAS(lock, 0, 1) != 0)
      ;
    __threadfence();
  }
  *total += blockIdx.x; //~ lockForgotten: race-blocks
  if (locks) {
    __threadfence();
    atomicExch(lock, 0);
  }
}

// Blocks take different locks for the same total.
__global__ void otherLock(int *locks, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  int *lock = &locks[fixed ? 0 : blockIdx.x % 2];
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  *total += blockIdx.x; //~ otherLock: race-blocks
  __threadfence();
  atomicExch(lock, 0);
}

// A chain of blocks: the prefix is not fenced from the flag that announces it.
__global__ void chainNoFence(const int *in, int *prefixes, volatile int *flags, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const int block = blockIdx.x;
  int before = 0;
  if (block > 0) {
    while (flags[block - 1] == 0)
      ;
    __threadfence();
    before = prefixes[block - 1]; //~ chainNoFence: race-blocks
  }
  prefixes[block] = before + in[block]; //~ chainNoFence: race-blocks
  if (fixed)
    __threadfence();
  flags[block] = 1;
}

// The grid's own barrier, without fences.
__global__ void barrierNoFences(int *data, int *arrived, int *out, bool fixed) {
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  data[i] = i; //~ barrierNoFences: race-blocks
  __syncthreads();
  if (t == 0) {
    if (fixed)
      __threadfence();
    atomicAdd(arrived, 1);
    while (*const_cast<volatile int *>(arrived) < kBlocks)
      ;
    if (fixed)
      __threadfence();
  }
  __syncthreads();
  out[i] = data[(i + kThreads) % (kBlocks * kThreads)]; //~ barrierNoFences: race-blocks
}

// The grid's own barrier, which one thread passes for all, while the others go on.
__global__ void barrierNotAwaited(int *data, int *arrived, int *out, bool fixed) {
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  data[i] = i; //~ barrierNotAwaited: race-blocks
  __syncthreads();
  if (t == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < kBlocks)
      ;
    __threadfence();
  }
  if (fixed)
    __syncthreads();
  out[i] = data[(i + kThreads) % (kBlocks * kThreads)]; //~ barrierNotAwaited: race-blocks
}

// A barrier in each of two rounds: in the second one blocks arrive, and don't wait.
__global__ void barrierOnce(int *data, int *arrived, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const int block = blockIdx.x, next = (block + 1) % kBlocks;
  for (int round = 1; round <= 2; ++round) {
    data[round * kBlocks + block] = round; //~ barrierOnce: race-blocks nowhere
    __threadfence();
    atomicAdd(arrived, 1);
    if (fixed || round == 1)
      while (*const_cast<volatile int *>(arrived) < round * kBlocks)
        ;
    __threadfence();
    out[round * kBlocks + block] = data[round * kBlocks + next]; //~ barrierOnce: race-blocks nowhere
  }
}

#define FLAG_CASE(KERNEL)                                                                                    \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> data(kThreads), flag(1), out(kThreads);                                          \
     KERNEL<<<2, kThreads>>>(data, flag, out, fixed);                                                        \
   }}
#define LAST_BLOCK_CASE(KERNEL)                                                                              \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> sums(kBlocks * kThreads), total(kThreads);                                       \
     const DeviceArray<unsigned> done(1);                                                                    \
     KERNEL<<<kBlocks, kThreads>>>(sums, done, total, fixed);                                                \
   }}
#define LOCK_CASE(KERNEL)                                                                                    \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> lock(2), total(1);                                                               \
     KERNEL<<<kBlocks, kThreads>>>(lock, total, fixed);                                                      \
   }}
#define BARRIER_CASE(KERNEL)                                                                                 \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> data(kBlocks * kThreads), arrived(1), out(kBlocks * kThreads);                   \
     KERNEL<<<kBlocks, kThreads>>>(data, arrived, out, fixed);                                               \
   }}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       FLAG_CASE(noWriterFence),
                       FLAG_CASE(noReaderFence),
                       FLAG_CASE(narrowWriterFence),
                       FLAG_CASE(narrowReaderFence),
                       FLAG_CASE(fenceTooEarly),
                       FLAG_CASE(flagFirst),
                       FLAG_CASE(noWriterBarrier),
                       FLAG_CASE(noReaderBarrier),
                       FLAG_CASE(toldOn),
                       FLAG_CASE(plainFlag),
                       LAST_BLOCK_CASE(lastBlockNoFence),
                       LAST_BLOCK_CASE(lastBlockNoAcquire),
                       LAST_BLOCK_CASE(lastBlockNarrow),
                       LAST_BLOCK_CASE(lastBlockNoBarrier),
                       LOCK_CASE(lockNoFences),
                       LOCK_CASE(lockNoRelease),
                       LOCK_CASE(lockNoAcquire),
                       LOCK_CASE(lockNarrow),
                       LOCK_CASE(lockForgotten),
                       LOCK_CASE(otherLock),
                       BARRIER_CASE(barrierNoFences),
                       BARRIER_CASE(barrierNotAwaited),
                       BARRIER_CASE(barrierOnce),
                       {"plainData",
                        [](bool fixed) {
                          const DeviceArray<int> data(1), flag(1), out(1);
                          if (fixed)
                            plainData<volatile int><<<2, kThreads>>>(data, flag, out);
                          else
                            plainData<int><<<2, kThreads>>>(data, flag, out);
                        }},
                       {"chainNoFence",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kBlocks)), prefixes(kBlocks), flags(kBlocks);
                          chainNoFence<<<kBlocks, kThreads>>>(in, prefixes, flags, fixed);
                        }},
                   });
}

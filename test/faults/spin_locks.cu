// Locks as text books have them: a compare-and-swap of 0 by 1 takes one, an exchange by 0 gives it back, and fences stand inside. Of those who
// take it, one lacks a fence: whoever is first, the other order of the two would be a race.
#include "handed_over.h"

enum class SpinLock { Right, NoneBehind, NarrowBehind, NoneInFront };

/// The second block lacks a fence.
template <SpinLock Fault> __global__ void lockOfBlocks(int *total, int *, int *lock, int *) {
  if (threadIdx.x != 0)
    return;
  const bool isOdd = blockIdx.x == 1;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  if (Fault == SpinLock::NarrowBehind && isOdd)
    __threadfence_block();
  else if (Fault != SpinLock::NoneBehind || !isOdd)
    __threadfence();
  *total += 1; //~ lockNoneBehind: race-blocks; lockNarrowBehind: race-blocks; lockNoneInFront: race-blocks
  if (Fault != SpinLock::NoneInFront || !isOdd)
    __threadfence();
  atomicExch(lock, 0);
}

// The lock is given back by a volatile store; the second block lacks its fence in front of that.
__global__ void lockByStore(int *total, int *lock, int *, bool fixed) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 7) != 0)
    ;
  __threadfence();
  *total += 1; //~ lockByStore: race-blocks
  if (fixed || blockIdx.x != 1)
    __threadfence();
  *static_cast<volatile int *>(lock) = 0;
}

// A lock of warps.
__global__ void lockOfWarps(int *total, int *lock, int *, bool fixed) {
  if (threadIdx.x % 32 != 0)
    return;
  while (atomicCAS_block(lock, 0, 1) != 0)
    ;
  if (fixed || threadIdx.x != 0)
    __threadfence_block();
  *total += 1; //~ lockOfWarps: race-warps
  __threadfence_block();
  atomicExch_block(lock, 0);
}

// The last one to have the lock reads what others have left in front of it, with no lock.
__global__ void lockedCount(int *parts, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  parts[blockIdx.x] = blockIdx.x;
  while (atomicCAS(&ends[0], 0, 1) != 0)
    ;
  if (fixed)
    __threadfence();
  const bool isLast = ++ends[1] == int(gridDim.x); //~ lockedCount: race-blocks
  __threadfence();
  atomicExch(&ends[0], 0);
  if (isLast)
    for (int i = 0; i < int(gridDim.x); ++i)
      *out += parts[i];
}

// A queue: items are stored in front of the lock and read behind it.
__global__ void lockedQueue(int *items, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  for (int i = 0; i < kItems; ++i) {
    if (blockIdx.x == 0)
      items[i] = 3 * i;
    bool isDone = false;
    while (!isDone) {
      while (atomicCAS(&ends[0], 0, 1) != 0)
        ;
      if (fixed || blockIdx.x == 0)
        __threadfence();
      if (blockIdx.x == 0) {
        ends[1] = i + 1; //~ lockedQueue: race-blocks
        isDone = true;
      } else {
        isDone = ends[1] > i; //~ lockedQueue: race-blocks
      }
      __threadfence();
      atomicExch(&ends[0], 0);
    }
    if (blockIdx.x != 0)
      out[i] = items[i];
  }
}

// What others read under the lock is stored when it has been given back.
__global__ void behindLock(int *data, int *lock, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  if (blockIdx.x != 0)
    out[blockIdx.x] = *data; //~ behindLock: race-blocks
  if (blockIdx.x == 0 && fixed)
    *data = 7;
  __threadfence();
  atomicExch(lock, 0);
  if (blockIdx.x == 0 && !fixed)
    *data = 7; //~ behindLock: race-blocks
}

/// The second block closes the data under the lock, and has it for itself behind that; the other does not ask whether it has.
template <bool Asks> __global__ void closedData(int *data, int *ends, int *out) {
  if (threadIdx.x != 0)
    return;
  while (atomicCAS(&ends[0], 0, 1) != 0)
    ;
  __threadfence();
  if (blockIdx.x == 1)
    ends[1] = 1;
  else if (!Asks || ends[1] == 0)
    *out = *data; //~ closedData: race-blocks
  __threadfence();
  atomicExch(&ends[0], 0);
  if (blockIdx.x == 1)
    *data = 7; //~ closedData: race-blocks
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       CHOSEN_CASE("lockNoneBehind", lockOfBlocks, SpinLock, NoneBehind, kThreads),
                       CHOSEN_CASE("lockNarrowBehind", lockOfBlocks, SpinLock, NarrowBehind, kThreads),
                       CHOSEN_CASE("lockNoneInFront", lockOfBlocks, SpinLock, NoneInFront, kThreads),
                       QUEUE_CASE(lockByStore, 2, kThreads),
                       QUEUE_CASE(lockOfWarps, 1, 2 * kThreads),
                       QUEUE_CASE(lockedCount, kBlocks, kThreads),
                       QUEUE_CASE(lockedQueue, 2, kThreads),
                       QUEUE_CASE(behindLock, 2, kThreads),
                       {"closedData",
                        [](bool fixed) {
                          const DeviceArray<int> data(1), ends(2), out(1);
                          if (fixed)
                            closedData<true><<<2, kThreads>>>(data, ends, out);
                          else
                            closedData<false><<<2, kThreads>>>(data, ends, out);
                        }},
                   });
}

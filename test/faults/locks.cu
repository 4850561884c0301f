// Locks of blocks, as people write them with atomic objects or fences: who goes on doesn't acquire what the one before has done, or that
// one doesn't release it, the scope is too narrow, or there are two locks for one thing.
#include "handed_over.h"

enum class Mcs { Right, RelaxedHandOver, RelaxedWait };

/// The lock of Mellor-Crummey and Scott: each block waits at a flag of its own. The first one goes on when all
/// stand in the queue, so that none finds it empty but the last.
template <Mcs Fault> __global__ void mcs(int *nexts, int *waits, int *ends, int *total) {
  if (threadIdx.x != 0)
    return;
  const int me = blockIdx.x + 1;
  DeviceRef tail(ends[0]), queued(ends[1]), next(nexts[me]), waiting(waits[me]);
  waiting.store(1, kRelaxed);
  const int before = tail.exchange(me, cuda::memory_order_acq_rel);
  if (before != 0)
    DeviceRef(nexts[before]).store(me, kRelease);
  queued.fetch_add(1, kRelaxed);
  if (before != 0)
    while (waiting.load(Fault == Mcs::RelaxedWait ? kRelaxed : kAcquire) != 0)
      ;
  while (queued.load(kRelaxed) < kBlocks)
    ;
  *total += me; //~ mcsRelaxed: race-blocks; mcsWaits: race-blocks
  if (next.load(kRelaxed) == 0) {
    int last = me;
    if (tail.compare_exchange_strong(last, 0, kRelease))
      return;
    while (next.load(kRelaxed) == 0)
      ;
  }
  DeviceRef(waits[next.load(kRelaxed)]).store(0, Fault == Mcs::RelaxedHandOver ? kRelaxed : kRelease);
}

// A lock with tickets of atomic objects, whose fences are for one block.
__global__ void ticketNarrow(int *ends, int *total, int *, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const int ticket = atomicAdd(&ends[0], 1);
  while (DeviceRef(ends[1]).load(kRelaxed) != ticket)
    ;
  if (fixed)
    __threadfence();
  else
    __threadfence_block();
  *total += blockIdx.x; //~ ticketNarrow: race-blocks
  if (fixed)
    __threadfence();
  else
    __threadfence_block();
  DeviceRef(ends[1]).store(ticket + 1, kRelaxed);
}

// A sequence lock without fences, whose data are any numbers.
__global__ void sequenceLock(int *data, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef sequence(ends[0]);
  for (int i = 1; i <= kItems; ++i) {
    if (blockIdx.x == 0) {
      sequence.store(2 * i - 1, kRelaxed);
      if (fixed) {
        cuda::atomic_thread_fence(kRelease, cuda::thread_scope_device);
        DeviceRef(data[0]).store(i, kRelaxed);
        sequence.store(2 * i, kRelease);
      } else {
        data[0] = i; //~ sequenceLock: race-blocks
        sequence.store(2 * i, kRelaxed);
      }
    } else {
      int before, value;
      do {
        if (fixed) {
          before = sequence.load(kAcquire);
          value = DeviceRef(data[0]).load(kRelaxed);
          cuda::atomic_thread_fence(kAcquire, cuda::thread_scope_device);
        } else {
          before = sequence.load(kRelaxed);
          value = data[0]; //~ sequenceLock: race-blocks
        }
      } while (before % 2 != 0 || sequence.load(kRelaxed) != before);
      out[i] = value;
    }
  }
}

// A sequence lock with its orders, whose data are any numbers. That what was read had been stored before, a
// trace leaves open.
__global__ void sequencePlain(int *data, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef sequence(ends[0]);
  for (int i = 1; i <= kItems; ++i) {
    if (blockIdx.x == 0) {
      sequence.store(2 * i - 1, kRelaxed);
      cuda::atomic_thread_fence(kRelease, cuda::thread_scope_device);
      if (fixed)
        DeviceRef(data[0]).store(i, kRelaxed);
      else
        data[0] = i; //~ sequencePlain: race-blocks nowhere
      sequence.store(2 * i, kRelease);
    } else {
      int before, value;
      do {
        before = sequence.load(kAcquire);
        if (fixed)
          value = DeviceRef(data[0]).load(kRelaxed);
        else
          value = data[0]; //~ sequencePlain: race-blocks nowhere
        cuda::atomic_thread_fence(kAcquire, cuda::thread_scope_device);
      } while (before % 2 != 0 || sequence.load(kRelaxed) != before);
      out[i] = value;
    }
  }
}

__device__ void lock(int &lock) {
  while (DeviceRef(lock).exchange(1, kAcquire) != 0)
    ;
}
__device__ void unlock(int &lock) { DeviceRef(lock).store(0, kRelease); }

// A list with a lock for each end (Michael and Scott): in the empty list both come to the same link.
__global__ void twoLocks(int *values, int *nexts, int *locks, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  int first = 0, last = 0;
  for (int node = 1; node <= kItems; ++node) {
    if (blockIdx.x == 0) {
      values[node] = 3 * node; //~ twoLocks: race-blocks
      lock(locks[0]);
      if (fixed)
        DeviceRef(nexts[last]).store(node, kRelease);
      else
        nexts[last] = node; //~ twoLocks: race-blocks
      last = node;
      unlock(locks[0]);
    } else {
      int next = 0;
      while (next == 0) {
        lock(locks[kThreads]);
        if (fixed)
          next = DeviceRef(nexts[first]).load(kAcquire);
        else
          next = nexts[first]; //~ twoLocks: race-blocks
        if (next != 0)
          first = next;
        unlock(locks[kThreads]);
      }
      out[node] = values[next]; //~ twoLocks: race-blocks
    }
  }
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       CHOSEN_CASE("mcsRelaxed", mcs, Mcs, RelaxedHandOver, kThreads),
                       CHOSEN_CASE("mcsWaits", mcs, Mcs, RelaxedWait, kThreads),
                       QUEUE_CASE(ticketNarrow, kBlocks, kThreads),
                       QUEUE_CASE(sequenceLock, 2, kThreads),
                       QUEUE_CASE(sequencePlain, 2, kThreads),
                       LIST_CASE(twoLocks, 2),
                   });
}

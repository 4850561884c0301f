// Queues, stacks and lists of work of blocks, as people write them with atomic objects or fences: what
// publishes an item doesn't release it, who takes it doesn't acquire it, the scope is too narrow, or a cell is
// given back before it has been read.
#include "handed_over.h"

constexpr int kCells = 8;
constexpr int kLooks = 1 << 24; ///< for what comes, if nothing is wrong
using BlockRef = cuda::atomic_ref<int, cuda::thread_scope_block>;
using TaggedRef = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

// A ring with one producer and one consumer, which look at each other's end when they must: the tail is moved
// without a release. It is found in the cells that are stored to before the producer has looked at the head:
// those behind may have been read before, for all that a trace says.
__global__ void ringRelaxed(int *cells, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef head(ends[0]), tail(ends[1]);
  int seen = 0;
  for (int i = 0; i < kItems; ++i) {
    if (blockIdx.x == 0) {
      while (i - seen == kCells)
        seen = head.load(kAcquire);
      cells[i % kCells] = i; //~ ringRelaxed: race-blocks
      tail.store(i + 1, fixed ? kRelease : kRelaxed);
    } else {
      while (seen == i)
        seen = tail.load(kAcquire);
      out[i] = cells[i % kCells]; //~ ringRelaxed: race-blocks
      head.store(i + 1, kRelease);
    }
  }
}

// The same, whose producer looks at the head each time: the consumer gives each cell back, and may have done so
// before the store that it has read.
__global__ void ringLooks(int *cells, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef head(ends[0]), tail(ends[1]);
  for (int i = 0; i < kItems; ++i) {
    if (blockIdx.x == 0) {
      while (i - head.load(kAcquire) == kCells)
        ;
      cells[i % kCells] = i; //~ ringLooks: race-blocks nowhere
      tail.store(i + 1, fixed ? kRelease : kRelaxed);
    } else {
      while (tail.load(kAcquire) == i)
        ;
      out[i] = cells[i % kCells]; //~ ringLooks: race-blocks nowhere
      head.store(i + 1, kRelease);
    }
  }
}

// The head is moved before the cell has been read. Each store to the cell may have been the one in front.
__global__ void ringHeadEarly(int *cells, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef head(ends[0]), tail(ends[1]);
  int seen = 0;
  for (int i = 0; i < kItems; ++i) {
    if (blockIdx.x == 0) {
      while (i - seen == kCells)
        seen = head.load(kAcquire);
      cells[i % kCells] = i; //~ ringHeadEarly: race-blocks nowhere
      tail.store(i + 1, kRelease);
    } else {
      while (seen == i)
        seen = tail.load(kAcquire);
      if (!fixed)
        head.store(i + 1, kRelease);
      out[i] = cells[i % kCells]; //~ ringHeadEarly: race-blocks nowhere
      if (fixed)
        head.store(i + 1, kRelease);
    }
  }
}

// The tail is moved before the cell is stored to.
__global__ void ringTailEarly(int *cells, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef head(ends[0]), tail(ends[1]);
  for (int i = 0; i < kCells; ++i) {
    if (blockIdx.x == 0) {
      if (!fixed)
        tail.store(i + 1, kRelease);
      cells[i] = i; //~ ringTailEarly: race-blocks
      if (fixed)
        tail.store(i + 1, kRelease);
    } else {
      while (tail.load(kAcquire) == i)
        ;
      out[i] = cells[i]; //~ ringTailEarly: race-blocks
      head.store(i + 1, kRelease);
    }
  }
}

// The producer stores the tail as any number.
__global__ void ringPlain(int *cells, int *ends, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef head(ends[0]), tail(ends[1]);
  int seen = 0;
  for (int i = 0; i < kCells; ++i) {
    if (blockIdx.x == 0) {
      cells[i] = i; //~ ringPlain: race-blocks
      if (fixed)
        tail.store(i + 1, kRelease);
      else
        ends[1] = i + 1; //~ ringPlain: race-blocks
    } else {
      while (seen == i)
        seen = tail.load(kAcquire); //~ ringPlain: race-blocks
      out[i] = cells[i];            //~ ringPlain: race-blocks
      head.store(i + 1, kRelease);
    }
  }
}

// A ring of whole warps: the lane that moves the tail hasn't waited for the others.
__global__ void ringLanes(int *cells, int *ends, int *out, bool fixed) {
  const int lane = threadIdx.x;
  DeviceRef head(ends[0]), tail(ends[1]);
  for (int i = 0; i < kCells; ++i) {
    int *batch = cells + i * kThreads;
    if (blockIdx.x == 0) {
      batch[lane] = i + lane; //~ ringLanes: race-blocks
      if (fixed)
        __syncwarp();
      if (lane == 0)
        tail.store(i + 1, kRelease);
    } else {
      if (lane == 0)
        while (tail.load(kAcquire) == i)
          ;
      __syncwarp();
      out[i * kThreads + lane] = batch[kThreads - 1 - lane]; //~ ringLanes: race-blocks
      __syncwarp();
      if (lane == 0)
        head.store(i + 1, kRelease);
    }
  }
}

// A ring in shared memory, from one warp to another, which looks at the tail without an acquire.
__global__ void ringOfWarps(int *, int *, int *out, bool fixed) {
  __shared__ int cells[kCells], ends[2];
  const int t = threadIdx.x;
  if (t < 2)
    ends[t] = 0;
  __syncthreads();
  BlockRef head(ends[0]), tail(ends[1]);
  int seen = 0;
  for (int i = 0; i < kItems; ++i) {
    if (t == 0) {
      while (i - seen == kCells)
        seen = head.load(kAcquire);
      cells[i % kCells] = i; //~ ringOfWarps: race-warps
      tail.store(i + 1, kRelease);
    } else if (t == kThreads) {
      while (seen == i)
        seen = tail.load(fixed ? kAcquire : kRelaxed);
      out[i] = cells[i % kCells]; //~ ringOfWarps: race-warps
      head.store(i + 1, kRelease);
    }
  }
}

enum class Bounded { Right, Relaxed, Early, Narrow, Plain, Take };

/// Vyukov's queue for several producers and consumers: a cell's sequence says whose turn it is. Consumers give
/// cells back, and may have done so before what they read was stored, for all that a trace says; what is found
/// is that the producer of the second lap knows nothing of the first one's.
template <Bounded Fault> __device__ void put(int *cells, int *sequences, int *tail, int i) {
  DeviceRef end(*tail);
  int at = end.load(kRelaxed);
  while (true) {
    DeviceRef sequence(sequences[at % kCells]);
    if (sequence.load(kAcquire) != at) //~ putNarrow: race-blocks; putPlain: race-blocks
      at = end.load(kRelaxed);
    else if (end.compare_exchange_strong(at, at + 1, kRelaxed))
      break;
  }
  const int c = at % kCells;
  DeviceRef sequence(sequences[c]);
  if (Fault == Bounded::Early)
    sequence.store(at + 1, kRelease);
  cells[c] = i; //~ putWeak: race-blocks; putEarly: race-blocks; putNarrow: race-blocks; putPlain: race-blocks
  if (Fault == Bounded::Right || Fault == Bounded::Take)
    sequence.store(at + 1, kRelease);
  else if (Fault == Bounded::Relaxed)
    sequence.store(at + 1, kRelaxed);
  else if (Fault == Bounded::Narrow)
    BlockRef(sequences[c]).store(at + 1, kRelease); //~ putNarrow: race-blocks
  else if (Fault == Bounded::Plain)
    sequences[c] = at + 1; //~ putPlain: race-blocks
}

template <Bounded Fault> __device__ void take(int *cells, int *sequences, int *head, int *out) {
  DeviceRef end(*head);
  int at = end.load(kRelaxed);
  while (true) {
    DeviceRef sequence(sequences[at % kCells]);
    const int found = sequence.load(Fault == Bounded::Take ? kRelaxed : kAcquire);
    if (found != at + 1)
      at = end.load(kRelaxed);
    else if (end.compare_exchange_strong(at, at + 1, kRelaxed))
      break;
  }
  out[at] = cells[at % kCells]; //~ takeRelaxed: race-blocks nowhere
  DeviceRef(sequences[at % kCells]).store(at + kCells, kRelease);
}

/// Two blocks put items, each a lap, and two take them.
template <Bounded Fault> __global__ void bounded(int *cells, int *sequences, int *ends, int *out) {
  if (threadIdx.x != 0)
    return;
  while (blockIdx.x == 2 && DeviceRef(ends[0]).load(kRelaxed) < kCells)
    ;
  for (int i = 0; i < kCells; ++i)
    if (blockIdx.x % 2 == 0)
      put<Fault>(cells, sequences, ends, i);
    else
      take<Fault>(cells, sequences, ends + 1, out);
}

enum class Tickets { Right, NoRelease, NoAcquire };

/// A queue with tickets: whoever draws one waits for its cell's lap, with fences around what it does there. What
/// is found is as with the queue above.
template <Tickets Fault> __global__ void tickets(int *cells, volatile int *laps, int *ends, int *out) {
  if (threadIdx.x != 0)
    return;
  const bool produces = blockIdx.x % 2 == 0;
  while (blockIdx.x == 2 && DeviceRef(ends[1]).load(kRelaxed) < kCells)
    ;
  for (int i = 0; i < kCells; ++i) {
    const int ticket = atomicAdd(&ends[produces], 1), cell = ticket % kCells;
    const int lap = ticket / kCells * 2 + !produces;
    while (laps[cell] != lap)
      ;
    if (!produces || Fault != Tickets::NoAcquire)
      __threadfence();
    if (produces)
      cells[cell] = i; //~ ticketsNoRelease: race-blocks; ticketsNoAcquire: race-blocks
    else
      out[ticket] = cells[cell];
    if (!produces || Fault != Tickets::NoRelease)
      __threadfence();
    laps[cell] = lap + 1;
  }
}

enum class Stack { Right, RelaxedPush, RelaxedPop };

/// Treiber's stack: half of the blocks push nodes, the others pop them.
template <Stack Fault> __global__ void stack(int *values, int *nexts, int *top, int *out) {
  if (threadIdx.x != 0)
    return;
  DeviceRef head(*top);
  const int first = blockIdx.x / 2 * kItems + 1;
  for (int node = first; node < first + kItems; ++node) {
    if (blockIdx.x % 2 == 0) {
      values[node] = 10 * node; //~ stackPush: race-blocks; stackPop: race-blocks on cpu
      int old = head.load(kRelaxed);
      do
        nexts[node] = old; //~ stackPush: race-blocks; stackPop: race-blocks on cpu
      while (!head.compare_exchange_strong(old, node, Fault == Stack::RelaxedPush ? kRelaxed : kRelease,
                                           kRelaxed));
    } else {
      const auto order = Fault == Stack::RelaxedPop ? kRelaxed : kAcquire;
      int old = head.load(order), next = 0;
      do {
        for (int look = 0; old == 0 && look < kLooks; ++look)
          old = head.load(order);
        if (old == 0)
          return;          // who pops wrongly may pop another one's
        next = nexts[old]; //~ stackPush: race-blocks; stackPop: race-blocks on cpu
      } while (!head.compare_exchange_strong(old, next, order));
      out[node] = values[old]; //~ stackPush: race-blocks; stackPop: race-blocks on cpu
    }
  }
}

// Nodes of a pool are taken, used and given back, with a tag beside the first one's number: taking acquires
// nothing.
__global__ void pool(int *values, int *nexts, unsigned long long *top, bool fixed) {
  if (threadIdx.x != 0)
    return;
  TaggedRef head(*top);
  const auto order = fixed ? kAcquire : kRelaxed;
  for (int i = 0; i < kItems; ++i) {
    unsigned long long old = head.load(order), next;
    do {
      while (static_cast<unsigned>(old) == 0)
        old = head.load(order);
      next = ((old >> 32) + 1) << 32 | DeviceRef(nexts[static_cast<unsigned>(old)]).load(kRelaxed);
    } while (!head.compare_exchange_strong(old, next, order));
    const auto node = static_cast<unsigned>(old);
    values[node] += i; //~ pool: race-blocks
    old = head.load(kRelaxed);
    do
      DeviceRef(nexts[node]).store(static_cast<int>(old), kRelaxed);
    while (!head.compare_exchange_strong(old, ((old >> 32) + 1) << 32 | node, kRelease, kRelaxed));
  }
}

enum class Deque { Right, NoRelease, NarrowRelease, NoAcquire };

/// The deque of Chase and Lev, with the fences of Le and others: the owner pushes and takes at the bottom, others
/// steal at the top.
template <Deque Fault> __global__ void deque(int *tasks, int *ends, int *done, int *out, bool ownerTakes) {
  if (threadIdx.x != 0)
    return;
  DeviceRef top(ends[0]), bottom(ends[1]), count(*done);
  if (blockIdx.x == 0) {
    for (int b = 0; b < kItems; ++b) {
      tasks[b] = b + 1; //~ dequePush: race-blocks; dequeNarrow: race-blocks; dequeSteal: race-blocks
      if (Fault == Deque::NarrowRelease)
        cuda::atomic_thread_fence(kRelease, cuda::thread_scope_block);
      else if (Fault != Deque::NoRelease)
        cuda::atomic_thread_fence(kRelease, cuda::thread_scope_device);
      bottom.store(b + 1, kRelaxed);
    }
    while (top.load(kRelaxed) < 2)
      ;
    for (int b = kItems - 1; ownerTakes && b >= 0; --b) {
      bottom.store(b, kRelaxed);
      cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
      int t = top.load(kRelaxed);
      if (t < b || (t == b && top.compare_exchange_strong(t, t + 1, cuda::memory_order_seq_cst))) {
        atomicExch(&out[tasks[b]], 0);
        count.fetch_add(1, kRelaxed);
      }
      if (t >= b) {
        bottom.store(b + 1, kRelaxed);
        break;
      }
    }
  } else {
    while (count.load(kRelaxed) < kItems) {
      int t = top.load(kRelaxed);
      if (Fault != Deque::NoAcquire)
        cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
      if (t >= bottom.load(Fault == Deque::NoAcquire ? kRelaxed : kAcquire))
        continue;
      const int task = tasks[t]; //~ dequePush: race-blocks; dequeNarrow: race-blocks; dequeSteal: race-blocks
      if (top.compare_exchange_strong(t, t + 1,
                                      Fault == Deque::NoAcquire ? kRelaxed : cuda::memory_order_seq_cst)) {
        atomicExch(&out[task], blockIdx.x); // without an acquire two may take the same
        count.fetch_add(1, kRelaxed);
      }
    }
  }
}

// A list of work: cells are reserved by a count, and a flag for each says that it is there, without a fence
// between.
__global__ void listNoFence(int *items, int *size, int *flags, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x < kBlocks / 2) {
    for (int i = 0; i < kItems; ++i) {
      const int at = atomicAdd(size, 1);
      items[at] = i; //~ listNoFence: race-blocks
      if (fixed)
        __threadfence();
      atomicExch(&flags[at], 1);
    }
  } else {
    for (int at = blockIdx.x - kBlocks / 2; at < kBlocks / 2 * kItems; at += kBlocks / 2) {
      while (atomicAdd(&flags[at], 0) == 0)
        ;
      __threadfence();
      out[at] = items[at]; //~ listNoFence: race-blocks
    }
  }
}

// The count says that a cell is reserved, and is taken for saying that it is there.
__global__ void listByCount(int *items, int *size, int *flags, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  DeviceRef count(*size);
  if (blockIdx.x < kBlocks / 2) {
    for (int i = 0; i < kItems; ++i) {
      const int at = count.fetch_add(1, cuda::memory_order_acq_rel);
      items[at] = i; //~ listByCount: race-blocks
      if (fixed)
        DeviceRef(flags[at]).store(1, kRelease);
    }
  } else {
    for (int at = blockIdx.x - kBlocks / 2; at < kBlocks / 2 * kItems; at += kBlocks / 2) {
      if (fixed)
        while (DeviceRef(flags[at]).load(kAcquire) == 0)
          ;
      else
        while (count.load(kAcquire) <= at)
          ;
      out[at] = items[at]; //~ listByCount: race-blocks
    }
  }
}

// The flags of the cells are stored as any number.
__global__ void listPlainFlag(int *items, int *size, int *flags, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x < kBlocks / 2) {
    for (int i = 0; i < kItems; ++i) {
      const int at = atomicAdd(size, 1);
      items[at] = i; //~ listPlainFlag: race-blocks
      __threadfence();
      if (fixed)
        *const_cast<volatile int *>(&flags[at]) = 1;
      else
        flags[at] = 1; //~ listPlainFlag: race-blocks
    }
  } else {
    for (int at = blockIdx.x - kBlocks / 2; at < kBlocks / 2 * kItems; at += kBlocks / 2) {
      while (*const_cast<volatile int *>(&flags[at]) == 0) //~ listPlainFlag: race-blocks
        ;
      __threadfence();
      out[at] = items[at]; //~ listPlainFlag: race-blocks
    }
  }
}

#define BOUNDED_CASE(NAME, FAULT) CHOSEN_CASE(NAME, bounded, Bounded, FAULT, numbers(kCells))

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       QUEUE_CASE(ringRelaxed, 2, kThreads),
                       QUEUE_CASE(ringLooks, 2, kThreads),
                       QUEUE_CASE(ringHeadEarly, 2, kThreads),
                       QUEUE_CASE(ringTailEarly, 2, kThreads),
                       QUEUE_CASE(ringPlain, 2, kThreads),
                       QUEUE_CASE(ringLanes, 2, kThreads),
                       QUEUE_CASE(ringOfWarps, 1, 2 * kThreads),
                       BOUNDED_CASE("putWeak", Relaxed),
                       BOUNDED_CASE("putEarly", Early),
                       BOUNDED_CASE("putNarrow", Narrow),
                       BOUNDED_CASE("putPlain", Plain),
                       BOUNDED_CASE("takeRelaxed", Take),
                       CHOSEN_CASE("ticketsNoRelease", tickets, Tickets, NoRelease, kCells),
                       CHOSEN_CASE("ticketsNoAcquire", tickets, Tickets, NoAcquire, kCells),
                       CHOSEN_CASE("stackPush", stack, Stack, RelaxedPush, kRoom),
                       CHOSEN_CASE("stackPop", stack, Stack, RelaxedPop, kRoom),
                       {"pool",
                        [](bool fixed) {
                          const DeviceArray<int> values(kThreads), nexts({0, 0, 1});
                          const DeviceArray<unsigned long long> top(std::vector<unsigned long long>{2});
                          pool<<<kBlocks, kThreads>>>(values, nexts, top, fixed);
                        }},
                       CHOSEN_CASE("dequePush", deque, Deque, NoRelease, kThreads, , false),
                       CHOSEN_CASE("dequeNarrow", deque, Deque, NarrowRelease, kThreads, , false),
                       CHOSEN_CASE("dequeSteal", deque, Deque, NoAcquire, kThreads, , true),
                       LIST_CASE(listNoFence, kBlocks),
                       LIST_CASE(listByCount, kBlocks),
                       LIST_CASE(listPlainFlag, kBlocks),
                   });
}

// Whoever waits, all others have their turn: lanes that wait together for what one lane does, which itself has to wait
// for many turns of its own. Turns go in patterns, whose length depends on the size of the groups; in some of them one
// lane, or one warp, would never be next.
#include "check.h"

namespace {

/// What code before Volta polls.
struct Volatile {
  __device__ static unsigned load(unsigned *p) { return *static_cast<volatile unsigned *>(p); }
};
/// What code since then does.
struct Atomic {
  __device__ static unsigned load(unsigned *p) { return atomicAdd(p, 0u); }
};

/// Each group of lanes has a leader that looks at the flag for all.
template <typename Memory>
__global__ void wait(unsigned group, unsigned holder, unsigned turns, unsigned *flag, unsigned *turn) {
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread - lane;
  if (thread == holder) {
    while (Memory::load(turn) < turns)
      ++*turn;
    atomicExch(flag, 1u);
    return;
  }
  const unsigned first = lane / group * group;
  unsigned mask = 0;
  for (unsigned i = first; i < first + group && i < 32; ++i)
    mask |= warp + i != holder ? 1u << i : 0u;
  const unsigned leader = __ffs(mask) - 1;
  unsigned isDone = 0;
  while (!isDone) {
    if (lane == leader)
      isDone = Memory::load(flag);
    isDone = __shfl_sync(mask, isDone, leader);
  }
}

template <typename Memory> void check(unsigned *words) {
  for (unsigned warps = 1; warps <= 4; ++warps)
    for (unsigned group = 1; group <= 32; ++group)
      for (const unsigned holder : {0u, 7u, 16u, 31u, warps * 32 - 1, warps * 32 - 17}) {
        words[0] = words[1] = 0;
        wait<Memory><<<1, warps * 32>>>(group, holder, 100, words, words + 1);
        CUDA(cudaDeviceSynchronize());
      }
}

} // namespace

int main() {
  unsigned *words = nullptr;
  CUDA(cudaMallocManaged(&words, 2 * sizeof *words));
  check<Volatile>(words);
  check<Atomic>(words);
  std::puts("ok");
}

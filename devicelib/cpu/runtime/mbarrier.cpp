/// mbarrier objects (PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier"). The lanes of a block share one host thread; threads of
/// other blocks of a cluster have others.
#include "runtime_calls.h"

#include <atomic>
#include <cstring>

namespace cupr::cpu {

namespace {

/// The 8 bytes of an object; also what an arrival returns as its state.
struct Mbarrier {
  static constexpr unsigned kCountBits = 20, kTransferBits = 23;
  std::uint64_t expected : kCountBits;
  std::uint64_t pending : kCountBits;
  std::uint64_t transfers : kTransferBits; ///< bytes that asynchronous copies still have to bring
  std::uint64_t phase : 1;

  static Mbarrier of(U64 bits) {
    Mbarrier barrier;
    std::memcpy(&barrier, &bits, sizeof barrier);
    return barrier;
  }
  U64 bits() const {
    U64 bits;
    std::memcpy(&bits, this, sizeof bits);
    return bits;
  }
  void endPhaseIfComplete() {
    if (pending == 0 && transfers == 0) {
      pending = expected;
      phase ^= 1;
    }
  }
};
static_assert(sizeof(Mbarrier) == 8, "an mbarrier object is 8 bytes");

std::atomic_ref<U64> wordOf(Ptr object) { return std::atomic_ref<U64>(*static_cast<U64 *>(object)); }

Mbarrier load(Ptr object) { return Mbarrier::of(wordOf(object).load(std::memory_order_acquire)); }

/// What it was before.
template <typename Change> U64 update(Ptr object, Change change) {
  const std::atomic_ref<U64> word = wordOf(object);
  U64 before = word.load(std::memory_order_relaxed);
  for (;;) {
    Mbarrier barrier = Mbarrier::of(before);
    change(barrier);
    if (word.compare_exchange_weak(before, barrier.bits(), std::memory_order_acq_rel,
                                   std::memory_order_relaxed))
      return before;
  }
}

U32 tested(bool complete, Place place) {
  if (!complete)
    calls::Spin(place);
  return complete;
}

} // namespace

namespace calls {

void MbarrierInit(Ptr object, U32 count) {
  Mbarrier barrier{};
  barrier.expected = barrier.pending = count;
  wordOf(object).store(barrier.bits(), std::memory_order_release);
}

U64 MbarrierArrive(Ptr object, U32 count, U32 bytes, U32 drop) {
  return update(object, [&](Mbarrier &barrier) {
    barrier.transfers += bytes;
    barrier.pending -= count;
    if (drop)
      barrier.expected -= count;
    barrier.endPhaseIfComplete();
  });
}

void MbarrierComplete(Ptr object, U32 bytes) {
  update(object, [&](Mbarrier &barrier) {
    barrier.transfers -= bytes;
    barrier.endPhaseIfComplete();
  });
}

U32 MbarrierTest(Ptr object, U64 state, Place place) {
  return tested(load(object).phase != Mbarrier::of(state).phase, place);
}
U32 MbarrierTestParity(Ptr object, U32 parity, Place place) {
  return tested(load(object).phase != (parity & 1), place);
}
U32 MbarrierPending(U64 state) { return static_cast<U32>(Mbarrier::of(state).pending); }

} // namespace calls

} // namespace cupr::cpu

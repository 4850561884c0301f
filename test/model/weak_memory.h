/// Shared memory as weak as the queue's rules allow (abi/bin_writer.h, `Memory`), small enough to be
/// compared.
///
/// A run of the model is an order of atomic operations. What a thread may rely on, beyond what it has read,
/// is its *view*: a set of facts, one bit each.
///
/// - For each 16-byte word of a page: the thread knows the last write to it, and it knows the last reading.
///   These words are not atomic. To read one whose last write one does not know, or to write one whose last
///   write or reading one does not know, is a race, and an error where it matters. Since a race is found
///   whichever of the two comes first, accesses to words need not be points where other threads run.
/// - For each atomic: the thread knows the last value. One that does not may read the value before.
///
/// Facts travel as in C++ and PTX: a message (the last write of an atomic) carries the view that its writer
/// had at the store, if that is a release, else at its last fence; an acquire adds it to the reader's view,
/// a relaxed read adds it at the reader's next fence; an exchange adds to what was there. A new write is a
/// fact that nobody else knows.
///
/// Two things are stronger here than in C++. A write is not made before a read that decides whether it is
/// made (the fast way of a reservation needs this: it looks at the limit and writes, without a fence; no GPU
/// makes a store visible before it knows that it will happen). And a load is at most one value behind.
#ifndef CUPR_MODEL_WEAK_MEMORY_H
#define CUPR_MODEL_WEAK_MEMORY_H

#include <cstdint>

namespace cupr::model {

using u32 = unsigned int;
using u64 = unsigned long long;
using View = unsigned __int128;

enum : unsigned { kMaxAtomics = 28, kMaxWords = 48, kMaxAgents = 7 };
static_assert(kMaxAtomics + 2 * kMaxWords <= 128, "a bit for each fact");

/// What is copied, hashed and compared: no pointers, no bytes that are not set.
struct MemoryState {
  struct Atomic {
    View view, viewBefore;
    u64 value, before;
  };
  struct Word {
    std::uint16_t value;
    std::uint16_t isPending; ///< written, and not taken by the host
  };
  struct Agent {
    View known;    ///< what it may rely on
    View acquired; ///< and what it may after a fence; contains `known`
    View released; ///< what its relaxed stores carry
  };
  Atomic atomics[kMaxAtomics];
  Agent agents[kMaxAgents];
  View mutex; ///< what the next to lock the host's mutex learns
  Word words[kMaxWords];
};

enum class Order { Relaxed, Ordered }; ///< ordered: acquire for a load, release for a store

class WeakMemory {
public:
  /// Everything is 0 and known to all. `allowStale`: loads may return the value before the last.
  WeakMemory(MemoryState &state, unsigned atomics, unsigned agents, bool allowStale);

  void initialise(unsigned atomic, u64 value) { state_.atomics[atomic].value = value; }
  u64 value(unsigned atomic) const { return state_.atomics[atomic].value; }
  bool maybeStale(unsigned agent, unsigned atomic) const;

  u64 load(unsigned agent, unsigned atomic, Order order, bool stale = false);
  void store(unsigned agent, unsigned atomic, u64 value, Order order);
  /// Reads and writes as one, relaxed.
  void exchange(unsigned agent, unsigned atomic, u64 value);
  void fence(unsigned agent);
  void lock(unsigned agent);
  void unlock(unsigned agent);
  /// `agent` starts when `earlier` has ended.
  void follow(unsigned agent, unsigned earlier);

  bool knowsWrite(unsigned agent, unsigned word) const {
    return state_.agents[agent].known >> writeBit(word) & 1;
  }
  /// Whether a write to the word now comes behind all that was done with it.
  bool mayWrite(unsigned agent, unsigned word) const;
  /// The same by C++'s rules: of what was read, only an acquire counts, unless a fence came behind it.
  bool mayWriteAsInCpp(unsigned agent, unsigned word) const;
  void write(unsigned agent, unsigned word, unsigned value);
  /// Where it does not matter which of two equal writes a reader knows.
  void rewrite(unsigned agent, unsigned word, unsigned value);
  void read(unsigned agent, unsigned word) { forget(readBit(word), agent); }

private:
  unsigned writeBit(unsigned word) const { return atomics_ + 2 * word; }
  unsigned readBit(unsigned word) const { return atomics_ + 2 * word + 1; }
  /// A fact has changed: only `agent` knows.
  void forget(unsigned bit, unsigned agent);
  void announce(unsigned agent, unsigned atomic, u64 value, View view);

  MemoryState &state_;
  const unsigned atomics_, agents_;
  const bool allowStale_;
};

} // namespace cupr::model

#endif

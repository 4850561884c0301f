/// The hand-over of rows (hostlib/runtime/paths/row_ring.h) as a machine that can be stopped, saved and set back between any two of its steps.
///
/// A thread pushes rows, and collects them itself where there is no room, as HostLog::push does; a collector collects a few times, whenever it
/// likes; and when both are over, the log's end collects what is left. They run RowRing itself, each on a stack of its own. A load or a
/// store of a count is a step, and so is to lock the mutex of those who collect. Rows are no steps: to read or write one that is not ordered
/// behind its last use is an error, whichever comes first (weak_memory.h).
///
/// The circle lies on the thread's stack, where it is saved with it.
///
/// What is watched: each row is collected once, in order, and nothing else is.
#ifndef CUPR_MODEL_HAND_OVER_MACHINE_H
#define CUPR_MODEL_HAND_OVER_MACHINE_H

#include "explorer.h"
#include "hostlib/runtime/paths/row_ring.h"
#include "machine_threads.h"
#include "weak_memory.h"

#include <atomic>
#include <string>
#include <vector>

namespace cupr::model {

class HandOverMachine : public MachineReport {
public:
  struct Configuration {
    std::string name;
    unsigned room, rows, rounds; ///< of the circle; of the thread; of the collector
    bool staleLoads = false;
  };
  enum class Mutant {
    None,
#define CUPR_MUTANT(name, what) name,
#include "hand_over_mutants.def"
#undef CUPR_MUTANT
  };

  HandOverMachine(const Configuration &configuration, Mutant mutant);
  HandOverMachine(const HandOverMachine &) = delete;
  HandOverMachine &operator=(const HandOverMachine &) = delete;

  std::vector<Move> moves() const;
  void apply(Move move);
  bool isEnd() const;

  /// The state as bytes; equal bytes go on equally.
  void save(std::vector<unsigned char> &bytes) const;
  std::size_t identity(const std::vector<unsigned char> &bytes) const { return bytes.size(); }
  void restore(const std::vector<unsigned char> &bytes);

private:
  static constexpr unsigned kMostRoom = 4;
  enum Agent : unsigned { Pusher, Collector, End, kAgents };
  enum Atomic : unsigned { Published, Collected, kAtomics };
  enum class Kind : std::uint8_t { Start, Load, Store, Lock, Read, Write };

  /// std::atomic, as a step.
  class Count {
  public:
    explicit Count(u64 value);
    u64 load(std::memory_order order) const;
    void store(u64 value, std::memory_order order);

  private:
    unsigned atomic_;
  };
  /// In the circle, or what is pushed.
  class Row {
  public:
    Row();
    explicit Row(unsigned value) : number_(value) {}
    Row(const Row &) = delete;
    Row &operator=(const Row &row);
    unsigned number() const { return number_; }

  private:
    unsigned number_; ///< which one, or its value
  };
  using Ring = host::RowRing<Row, Count>;

  struct Thread {
    Kind pending;
    std::uint8_t atomic; ///< of the pending operation
    bool isDone;
  };
  struct State {
    MemoryState memory;
    Thread threads[kAgents];
    std::uint8_t locked, delivered;
    std::uint8_t unwritten, unwrittenValue; ///< of a mutant: row + 1 that is published and not written
  };

  void runThread(unsigned self);
  void push();
  void collect();
  void step(Kind kind, unsigned atomic = 0);
  void writeRow(unsigned row, unsigned value);
  void readRow(unsigned row);
  Order ordered(std::memory_order order) const;
  void note(std::string what);

  /// The one whose threads run: rows and counts have no room for a pointer to it.
  inline static HandOverMachine *active_ = nullptr;

  const Configuration configuration_;
  const Mutant mutant_;
  State state_{};
  WeakMemory memory_;
  Ring *ring_ = nullptr; ///< at the same place in each state
  unsigned countsMade_ = 0, rowsMade_ = 0;
  MachineThreads threads_;
  bool stale_ = false; ///< the running load's choice
};

} // namespace cupr::model

#endif

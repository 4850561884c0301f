/// The queue as a machine that can be stopped, saved and set back between any two of its steps.
///
/// The device's threads run abi/bin_writer.h itself, each on a stack of its own. An operation on an atomic is
/// a step: the thread says what it wants and leaves; chosen to go on, it does it, and runs to its next.
/// Fences, pages' words and the counts of waits are no steps: they touch nobody else (weak_memory.h). A
/// thread's stack is saved and set back as bytes.
///
/// What a thread has in its head follows from what it has read, and most of that it has forgotten again: a
/// warp that has its space is in the same state however long it waited. Stacks keep such remains, so
/// states are better told apart by a hash of what counts: which record it is at, the position claimed, what
/// it has written, and since then each operation, with its result only where more depends on it than which
/// operation comes next. Going to wait once more comes back to the same. This knows how bin_writer.h works;
/// `Identity::Stacks` doesn't, and the test compares what both find.
///
/// The host's side is written here as guarded moves, after hostlib/runtime/queue/page_source.h: a copy of
/// a page begins and ends; what is evicted is looked for, asked for and taken. Where a host thread would poll
/// in vain it has no move. Time is not in the model: a copy may take as long as it likes, and the host may
/// ask for evictions whenever it likes.
///
/// What is watched, at each step:
/// - no word of a page is written before the host has taken what was there, and none of the host's is read
///   unordered;
/// - a page that is taken holds whole records and pads, each record where it was reserved, each once, and
///   not the pad of a seal; by either way it is the page as the warps have written it;
/// - the position that a seal returns lies behind all that its launch has reserved, and once the host has
///   taken what lies below it, it has all records of the launch;
/// - a warp counts when it waits, and only then;
/// - a warp that may drop its record waits for no more than another's look at the host's count, and drops it
///   only if the bin is full by the count that it has seen itself.
/// And at the end: every record has arrived, or was counted as dropped, and the host has taken all that lies
/// below the seals. That there is always a way to the end is the explorer's to see.
#ifndef CUPR_MODEL_QUEUE_MACHINE_H
#define CUPR_MODEL_QUEUE_MACHINE_H

#include "devicelib/abi/queue.h"
#include "devicelib/abi/trace_argument.h"
#include "explorer.h"
#include "machine_threads.h"
#include "weak_memory.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cupr::model {

enum class Mutant {
  None,
#define CUPR_MUTANT(name, what) name,
#include "queue_mutants.def"
#undef CUPR_MUTANT
};

/// A warp writes records of these sizes, in words, one after the other.
struct Warp {
  unsigned launch, bin;
  std::vector<unsigned> records;
};

/// When copies by the copy engine end.
enum class Copies { Ready, Stuck }; ///< whenever they like; not before all kernels have ended

/// What tells states apart.
enum class Identity { History, Stacks };

struct Configuration {
  std::string name;
  unsigned bins = 1, pageWords = 4; ///< two pages per bin
  std::vector<Warp> warps;
  bool evictions = false;
  Copies copies = Copies::Ready;
  bool drops = false; ///< a warp that finds its bin full goes on without its record
  bool staleLoads = false;
  Identity identity = Identity::History;
  bool comparesIdentities = false; ///< what both find must be the same
};

class QueueMachine : public MachineReport {
public:
  using Configuration = model::Configuration;
  using Mutant = model::Mutant;

  QueueMachine(const Configuration &configuration, Mutant mutant);
  QueueMachine(const QueueMachine &) = delete;
  QueueMachine &operator=(const QueueMachine &) = delete;

  std::vector<Move> moves() const;
  void apply(Move move);
  /// Whether all is done. Asked where there is no move.
  bool isEnd() const;

  /// The state as bytes; equal bytes go on equally.
  void save(std::vector<unsigned char> &bytes) const;
  /// Of the bytes, those that tell states apart.
  std::size_t identity(const std::vector<unsigned char> &bytes) const;
  /// Of these, those that all share.
  static std::size_t sharedBytes() { return offsetof(State, threads); }
  void restore(const std::vector<unsigned char> &bytes);

private:
  friend class ModelMemory;

  static constexpr unsigned kMaxThreads = 5, kMaxBins = 2, kPagesPerBin = 2, kMaxPageWords = 8,
                            kMaxRecords = 24;
  enum Field : unsigned { Reserved, Limit, Evicted, Polling, Freed, Evict, EvictedToHost };
  static constexpr unsigned kBinFields = 7, kPageFields = 3;
  enum PageField : unsigned { Committed, SealedAt, Published };
  enum class Kind : std::uint8_t { Start, Load, Update };
  /// What the thread did last: tells fences apart, for mutants.
  enum class Last : std::uint8_t { Other, Commit, Host, Limit };

  struct Thread {
    Kind pending;
    std::uint8_t atomic;    ///< of the pending operation
    std::uint16_t argument; ///< of the pending operation
    bool isDone, isSealing, hasCounted;
    std::uint8_t freed; ///< pages, by the host's count as last seen; where records are dropped
    Last last;
    std::uint8_t record;            ///< which of its records it is at
    std::uint8_t resetLate, wanted; ///< of mutants
    std::uint16_t sealed;           ///< closing threads: position + 1 in words, once sealed
    u64 claimed;                    ///< hash of what it is doing: which record, at which position
    u64 base;                       ///< the same, and what it has written there
    u64 local;                      ///< the same, and what it has seen since
  };
  struct Content {
    std::uint8_t page, words;
    std::uint16_t word[kMaxPageWords];
  };
  struct HostSide {
    std::uint8_t next;   ///< page to take
    std::uint8_t issued; ///< page to copy
    std::uint8_t copies; ///< under way
    std::uint8_t looked; ///< 1 + page that an eviction is thought about; 0: none
    std::uint8_t asked;
    std::uint8_t isTaking; ///< an evicted page
    Content copy[kPagesPerBin];
    Content evicted;
  };
  struct State {
    MemoryState memory;
    HostSide host[kMaxBins];
    std::uint8_t asks[kMaxBins];                     ///< thread + 1 that holds the polling lock
    std::uint8_t completes[kMaxBins * kPagesPerBin]; ///< thread + 1 that has completed the page
    u32 delivered;                                   ///< a bit per record
    u32 dropped;                                     ///< a bit per record
    std::uint8_t position[kMaxRecords];              ///< in words, + 1
    // What all share comes first.
    Thread threads[kMaxThreads];
  };
  struct Plan {
    bool closes;
    unsigned launch, bin, firstRecord;
    std::vector<unsigned> records;
  };

  // Threads of the device.
  void runThread(unsigned self);
  void runWarp(unsigned self);
  void runClose(unsigned self);
  void step(Kind kind, unsigned atomic, u64 argument = 0);
  bool isPrivate(unsigned atomic);
  void fold(u64 value);
  void foldClaim(u64 position);
  bool mayStart(unsigned thread) const;
  void writeWord(unsigned self, unsigned word, unsigned value);

  // The host.
  enum HostMove : unsigned { BeginCopy, EndCopy, Look, Ask, BeginTake, EndTake, kHostMoves };
  bool isEnabled(HostMove move, unsigned bin) const;
  void hostMove(HostMove move, unsigned bin);
  u64 publication(unsigned bin, unsigned page) const;
  void take(unsigned agent, unsigned bin, const Content &content);
  void deliver(unsigned bin, const Content &content);
  void checkEnded(unsigned bin);

  unsigned running() const { return threads_.running(); }
  unsigned copier() const { return static_cast<unsigned>(plans_.size()); }
  unsigned evictor() const { return copier() + 1; }
  unsigned binAtomic(unsigned bin, Field field) const { return bin * kBinFields + field; }
  unsigned pageAtomic(unsigned slot, PageField field) const {
    return configuration_.bins * kBinFields + slot * kPageFields + field;
  }
  unsigned slot(unsigned bin, unsigned page) const { return bin * kPagesPerBin + page % kPagesPerBin; }
  unsigned pageWord(unsigned bin, unsigned page) const { return slot(bin, page) * configuration_.pageWords; }
  unsigned placeWord(unsigned bin) const {
    return (configuration_.bins * kPagesPerBin + bin) * configuration_.pageWords;
  }
  unsigned pageBytes() const { return configuration_.pageWords * 16; }
  void note(std::string what);
  std::string name(unsigned atomic) const;

  const Configuration configuration_;
  const Mutant mutant_;
  std::vector<Plan> plans_; ///< of the threads
  State state_;
  WeakMemory memory_;

  // What the device's code takes the addresses of; nothing lies there.
  abi::Bin bins_[kMaxBins];
  abi::PageState states_[kMaxBins * kPagesPerBin];
  unsigned long long published_[kMaxBins * kPagesPerBin];
  abi::HostBin hostBins_[kMaxBins];
  unsigned long long evicted_[kMaxBins];
  unsigned char pages_[kMaxBins * kPagesPerBin * kMaxPageWords * 16];
  unsigned char evictions_[kMaxBins * kMaxPageWords * 16];
  std::vector<unsigned long long> waits_, drops_;
  unsigned long long broken_ = 0;
  abi::Link link_;
  std::vector<Trace> traces_; ///< one per thread

  MachineThreads threads_;
  bool stale_ = false; ///< the running load's choice
};

} // namespace cupr::model

#endif

/// What the host's threads access of memory that the device reaches, too, while there is work that they have not waited for
/// (devicelib/abi/host_access.h), on its way to the trace.
///
/// The problem: any code of the program may make such an access, in a signal's handler as well, a million times in a loop. So nothing is allocated
/// there and no lock of the program's is met: accesses are joined to runs (access_run.h) in tables of a fixed size, each with a lock that the
/// handler's own thread is known by. Where a path begins, a copy of the stack is put beside it; paths are made of these when the rows are
/// collected, at the next call of CUDA's API. What a table has no room for is left out.
///
/// Each row says between which of the host's calls it was made: behind the act `after`, the latest that there was. And it says behind which act
/// it is known what the host has waited for, `since`: by some calls it may have learned that work is over, without the trace saying which.
///
/// What code does inside of a call of the API (a function of the host in a stream, on the CPU device) is left out: when it runs follows from more
/// than the order of calls.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_HOST_ACCESSES_H
#define CUPR_RUNTIME_HOST_ACCESSES_H

#include "access_run.h"
#include "host_log.h"
#include "path_finder.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace cupr::host {

/// As devicelib/abi/host_access.h has it.
struct ToldAccess {
  std::uint64_t address, bytes;
  std::uint32_t flags;
  std::uint64_t place;
};

class HostAccesses {
public:
  /// Whether the program has code that tells of its accesses.
  static bool areTold() { return areTold_.load(std::memory_order_relaxed); }
  static void tellOfThem() { areTold_.store(true, std::memory_order_relaxed); }
  /// The one that is told; null: none. They are never deleted while threads may be in them.
  static HostAccesses *current() { return current_.load(std::memory_order_acquire); }
  /// Also in a child of fork, with null: nothing is watched any more.
  static void makeCurrent(HostAccesses *accesses);

  /// `order`: the order of the host's latest act. Both outlive it. Throws std::bad_alloc.
  HostAccesses(HostLog &log, const std::atomic<std::uint64_t> &order);
  ~HostAccesses();
  HostAccesses(const HostAccesses &) = delete;
  HostAccesses &operator=(const HostAccesses &) = delete;

  /// Memory that both sides reach begins there, or does no longer.
  void watch(std::uint64_t address, std::uint64_t bytes);
  void forget(std::uint64_t address);

  /// An act has begun in a stream, which the host has not waited for.
  void begun(std::uint64_t stream);
  /// The host has waited for all that was in the stream; in all streams.
  void waitedFor(std::uint64_t stream);
  void waitedForAll();
  /// The host may know that all acts so far are over.
  void mayHaveWaited() { mayKnowOf(order_.load()); }
  /// From now on it may know of any act that it is over.
  void mayKnowOfAll() { mayKnowOf(UINT64_MAX); }

  /// The calling thread's function with these registers is about to make it. In signals' handlers, too.
  void note(const ToldAccess &access, const Registers &caller) noexcept;
  bool hasRows() const { return hasRows_.load(std::memory_order_relaxed); }
  /// Hands all rows so far to the log.
  void collect();

private:
  static constexpr std::size_t kTables = 16, kRows = 256, kStacks = 32, kHints = 512;
  static constexpr std::size_t kStackBytes = 16384;
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::uint32_t kMostOfPlace = 64; ///< rows that differ by their addresses alone

  /// What rows that may be joined have in common.
  struct Key {
    std::uint64_t place = 0;      ///< in the source, or else in the code
    std::uint64_t thread = 0;     ///< as the process knows it
    std::uint64_t allocation = 0; ///< address
    std::uint64_t after = 0, since = 0;
    std::uint32_t flags = 0;
    bool isOfSource = false; ///< the place
    bool operator==(const Key &) const = default;
  };
  struct Row {
    Key key;
    AccessRun run;
    std::uint32_t threadId = 0;  ///< the kernel's
    std::uint32_t stack = kNone; ///< of the first of its place
    std::uint32_t ofPlace = 1;   ///< how many there are so far
  };
  struct Stack {
    Registers registers;
    std::uint64_t bytes;
    std::array<unsigned char, kStackBytes> copy;
  };
  struct Table {
    std::atomic<std::uint64_t> owner{0}; ///< the thread that is in it
    std::uint32_t rows = 0, stacks = 0;
    std::array<std::uint32_t, kHints> hints; ///< by key: the latest row and 1
    std::array<Row, kRows> row;
    std::array<Stack, kStacks> stack;
  };
  struct Ranges {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges; ///< address, end; ascending
  };
  class Held;

  /// Where the watched memory begins that holds one of these bytes; nothing: there is none.
  std::optional<std::uint64_t> allocationAt(std::uint64_t address, std::uint64_t bytes) const;
  void noteIn(Table &table, const Key &key, const ToldAccess &access, const Registers &caller);
  static std::uint32_t &hintFor(Table &table, const Key &key);
  void mayKnowOf(std::uint64_t order);
  static std::uint32_t keepStack(Table &table, const Registers &caller);
  void publish();
  void openLocked();

  static std::atomic<HostAccesses *> current_;
  static std::atomic<bool> areTold_;

  HostLog &log_;
  const std::atomic<std::uint64_t> &order_;
  std::atomic<std::uint64_t> since_{0};
  std::atomic<bool> hasRows_{false};
  Table *tables_ = nullptr; ///< kTables of them, in pages of their own: of most nothing is ever touched
  std::mutex mutex_;        ///< guards what follows
  std::map<std::uint64_t, std::uint64_t> watched_; ///< bytes by address
  /// What threads look up, and what they may still be looking at.
  std::atomic<const Ranges *> ranges_{nullptr};
  mutable std::atomic<std::uint32_t> lookers_{0};
  std::vector<std::unique_ptr<const Ranges>> kept_; ///< the last one is `ranges_`
  bool isOpen_ = false;                             ///< something may run
  std::optional<std::uint64_t> onlyStream_; ///< that has had acts since nothing ran; none: there are several
  std::mutex collecting_;                   ///< guards what follows
  std::unique_ptr<Table> collected_;
  PathFinder finder_;
};

} // namespace cupr::host

#endif

/// The memory that is allocated now, by address: what calls of the program have told of, and what was found by
/// looking for it (event_log.h). Addresses are the program's, sizes in bytes.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_MEMORY_MAP_H
#define CUPR_RUNTIME_MEMORY_MAP_H

#include "hostlib/trace/events.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace cupr::host {

/// An address of the program, or a handle, as the trace has it.
inline std::uint64_t asNumber(const void *address) { return reinterpret_cast<std::uint64_t>(address); }

class MemoryMap {
public:
  struct Range {
    std::uint64_t bytes;
    trace::MemoryKind kind;
    bool isFound = false; ///< by looking for it; else a call has told of it
  };

  /// In place of what begins there.
  void put(std::uint64_t address, const Range &range);
  /// False: something begins there already, and stays.
  bool putNew(std::uint64_t address, const Range &range);
  /// False: nothing begins there.
  bool remove(std::uint64_t address);

  /// Whether a call has told of memory that holds the address.
  bool isAllocatedByCall(std::uint64_t address) const;
  /// Whether it lies in memory that a device can own: what is known, but for the host's.
  bool isOfDevice(std::uint64_t address) const;
  /// What is known of the memory that holds the address: where it begins, and what it is.
  std::optional<std::pair<std::uint64_t, Range>> find(std::uint64_t address) const;
  /// Whether exactly this was found before.
  bool wasFound(std::uint64_t address, std::uint64_t bytes) const;
  /// Where what was found once and meets this range begins: it is gone.
  std::vector<std::uint64_t> outdatedBy(std::uint64_t address, std::uint64_t bytes) const;
  /// What begins in this range.
  std::vector<std::uint64_t> beginningIn(std::uint64_t address, std::uint64_t bytes) const;

  /// All of it; nothing when a thread is at it that may never go on, as in the parent of a fork.
  std::optional<std::map<std::uint64_t, Range>> ifFree() const;

private:
  using Ranges = std::map<std::uint64_t, Range>;
  /// The range that holds the address, or the end. With the mutex.
  Ranges::const_iterator holding(std::uint64_t address) const;

  mutable std::mutex mutex_;
  Ranges ranges_;
};

} // namespace cupr::host

#endif

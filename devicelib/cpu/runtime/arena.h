/// The devices' memory: one stretch of addresses for each, the same in every run.
///
/// An allocation starts on a page and is followed by at least one page that belongs
/// to nobody; the lowest gap that fits is taken. So the addresses of a program that
/// allocates in the same order are the same in every run. Host memory from
/// cudaMallocHost and managed memory come from here, too.
///
/// Unless CUPR_CPU_CHECK=0, the arena is watched: retargeted code looks at each access
/// whether it lies in an allocation (poisoned_bytes.h), and memory that was freed is
/// given out again only after kQuarantined others of its device, so that an access through an old
/// pointer shows.
#ifndef CUPR_CPU_ARENA_H
#define CUPR_CPU_ARENA_H

#include "call_stack.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace cupr::cpu {

enum class ArenaKind { Device, Host, Managed };

/// A call of the API that gave memory, or took it back.
struct ArenaCall {
  const char *name = nullptr; ///< "cudaMalloc"
  CallStack stack;            ///< empty in an arena that is not watched
};

struct ArenaAllocation {
  std::uint64_t address;
  std::size_t bytes; ///< as asked for
  ArenaKind kind;
  int device; ///< whose memory it is; host memory and managed memory count as that of the device that asked
  ArenaCall made;
};

class Arena {
public:
  static Arena &instance();

  /// Null when the device's memory is used up. `call`: the name of the API's function.
  void *allocate(int device, std::size_t bytes, ArenaKind kind, const char *call);
  /// False when no allocation of that kind (host memory or not) starts at `address`.
  bool free(void *address, bool host, const char *call);
  /// The allocation that `address` lies in.
  std::optional<ArenaAllocation> find(const void *address);
  /// Everything that is the device's.
  void freeAll(int device);
  /// Of each device; less than CUPR_CPU_MEMORY where virtual memory is limited.
  std::size_t total() const { return total_; }
  std::size_t used(int device);

  /// Whether all of the bytes lie in one allocation, or not in the arena at all.
  bool isGood(std::uint64_t address, std::size_t bytes);
  /// What lies at `address`, or near it, in words: "offset 4096 in an allocation of 4096 bytes
  /// (cudaMalloc, main.cu:12)".
  std::string explain(std::uint64_t address);

private:
  struct Freed {
    ArenaAllocation allocation;
    ArenaCall call;
  };

  /// A device's part of the addresses.
  struct Stretch {
    std::uint64_t base = 0;
    std::size_t used = 0;
    std::map<std::uint64_t, std::size_t> gaps; ///< address -> bytes
    std::deque<std::uint64_t> quarantine;      ///< of freed_, those not in a gap; the oldest first
  };

  static constexpr std::size_t kQuarantined = 256;

  Arena();
  /// Addresses of all devices.
  std::size_t all() const { return reserve_ * stretches_.size(); }
  ArenaCall callOf(const char *name) const;
  static std::uint64_t takeGap(Stretch &stretch, std::size_t bytes);
  void endOldestQuarantine(Stretch &stretch);
  static void addGap(Stretch &stretch, std::uint64_t address, std::size_t bytes);
  void forgetFreed(std::uint64_t address, std::size_t bytes);
  std::string explain(const ArenaAllocation &allocation, std::uint64_t address) const;

  std::mutex mutex_;
  std::uint64_t base_ = 0;
  std::size_t reserve_ = 0, total_ = 0; ///< addresses of each device, bytes that it gives out
  std::vector<Stretch> stretches_;      ///< by device
  std::map<std::uint64_t, ArenaAllocation> allocations_; ///< by address
  std::map<std::uint64_t, Freed> freed_;                 ///< by address, until the place is used again
};

} // namespace cupr::cpu

#endif

/// The device's memory: one stretch of addresses, the same in every run.
///
/// An allocation starts on a page and is followed by at least one page that belongs
/// to nobody; the lowest gap that fits is taken. So the addresses of a program that
/// allocates in the same order are the same in every run. Host memory from
/// cudaMallocHost and managed memory come from here, too.
#ifndef CUPR_CPU_ARENA_H
#define CUPR_CPU_ARENA_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace cupr::cpu {

enum class ArenaKind { Device, Host, Managed };

struct ArenaAllocation {
  std::uint64_t address;
  std::size_t bytes; ///< as asked for
  ArenaKind kind;
};

class Arena {
public:
  static Arena &instance();

  /// Null when the device's memory is used up.
  void *allocate(std::size_t bytes, ArenaKind kind);
  /// False when no allocation of that kind (host memory or not) starts at `address`.
  bool free(void *address, bool host);
  /// The allocation that `address` lies in.
  std::optional<ArenaAllocation> find(const void *address);
  void freeAll();
  std::size_t total() const { return total_; }
  std::size_t used();

private:
  Arena();
  std::mutex mutex_;
  std::uint64_t base_ = 0;
  std::size_t total_ = 0, used_ = 0;
  std::map<std::uint64_t, ArenaAllocation> allocations_; ///< by address
  std::map<std::uint64_t, std::size_t> gaps_;            ///< address -> bytes
};

} // namespace cupr::cpu

#endif

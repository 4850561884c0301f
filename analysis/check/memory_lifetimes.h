/// What an address is that lies in no allocation that is alive.
#ifndef CUPR_ANALYSIS_MEMORY_LIFETIMES_H
#define CUPR_ANALYSIS_MEMORY_LIFETIMES_H

#include "analysis/engine/ranges.h"
#include "analysis/model/model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

class MemoryLifetimes {
public:
  explicit MemoryLifetimes(const Model &model) : model_(model) { extend(); }

  /// Takes what a growing model has got since.
  void extend();

  /// By ordinal. The one that held the address and was freed before, at the moment `order` of the host's calls: the last of them.
  std::optional<std::uint32_t> freed(std::uint64_t address, std::uint64_t order) const;
  /// The one that is alive and ends nearest below the address.
  std::optional<std::uint32_t> endsBelow(std::uint64_t address, std::uint64_t order) const;
  std::optional<std::uint32_t> holds(std::uint64_t address, std::uint64_t order) const;
  /// Whether what it holds is nothing until the program's kernels, copies and sets write it, at the moment `order`: no launch that the
  /// trace doesn't hold has run since it was made, and the host can't write it by itself.
  bool isBlank(std::uint32_t allocation, std::uint64_t order) const {
    return isDevice_[allocation] && order < opened_[allocation];
  }
  /// The same of a range: it lies in one allocation.
  bool isBlank(const Range &range, std::uint64_t order) const;
  /// Whether there is anything of a library that was not rebuilt, which may write without the trace saying so.
  bool hasForeign() const { return hasForeign_; }

private:
  bool isAlive(const AllocationInfo &info, std::uint64_t order) const {
    return info.allocation.order <= order && order < info.freedOrder;
  }

  const Model &model_;
  std::vector<std::uint32_t> byAddress_;
  std::uint64_t longest_ = 0; ///< bytes
  std::vector<bool> isDevice_;
  std::vector<std::uint64_t> opened_; ///< order of the first launch that may have written it unseen
  std::size_t launches_ = 0;          ///< that were taken
  std::vector<std::uint64_t> unseen_; ///< orders of launches that may have written what the trace doesn't say
  std::vector<std::uint32_t> blank_;  ///< allocations that none of these has come behind
  bool hasForeign_ = false;
};

} // namespace cupr::analysis

#endif

/// Which allocation an address belongs to, at one moment of the program. Arrays have none.
#ifndef CUPR_ANALYSIS_LIVE_ALLOCATIONS_H
#define CUPR_ANALYSIS_LIVE_ALLOCATIONS_H

#include "model.h"

#include <cstdint>
#include <map>

namespace cupr::analysis {

/// Follows the model's events: give it AllocationEvents and FreeEvents in their order.
class LiveAllocations {
public:
  explicit LiveAllocations(const Model &model) : model_(&model) {}

  void apply(const AllocationEvent &event) {
    const AllocationInfo &info = model_->allocations()[event.index];
    if (!info.allocation.isAddressed())
      return;
    live_[info.allocation.address] = event.index;
    last_ = nullptr;
  }
  void apply(const FreeEvent &event) {
    const AllocationInfo &info = model_->allocations()[event.allocation];
    const auto found = live_.find(info.allocation.address);
    if (found != live_.end() && found->second == event.allocation)
      live_.erase(found);
    last_ = nullptr;
  }

  /// Null if the address is in none.
  const AllocationInfo *find(std::uint64_t address) {
    if (last_ && address - last_->allocation.address < last_->allocation.bytes)
      return last_;
    auto next = live_.upper_bound(address);
    if (next == live_.begin())
      return nullptr;
    const AllocationInfo *info = &model_->allocations()[std::prev(next)->second];
    if (address - info->allocation.address >= info->allocation.bytes)
      return nullptr;
    return last_ = info;
  }

private:
  const Model *model_;
  std::map<std::uint64_t, std::size_t> live_; ///< by address, index among the model's
  const AllocationInfo *last_ = nullptr;      ///< neighbours are asked for in turn
};

} // namespace cupr::analysis

#endif

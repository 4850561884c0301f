#include "memory_lifetimes.h"

#include "analysis/engine/unseen_launches.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace cupr::analysis {

namespace {

/// Calls that make memory of this process alone, which nothing has written.
bool makesBlank(const trace::Allocation &memory) {
  using enum trace::MemoryKind;
  const std::string_view call = memory.call;
  return (memory.kind == Device || memory.kind == Pitched || memory.kind == Pool) &&
         (call.starts_with("cudaMalloc") || call.starts_with("cuMemAlloc"));
}

/// Copies of tensors write where the trace doesn't say: they are waited for in groups.
bool mayCopyUnseen(const trace::Module *module) {
  return module && std::ranges::any_of(module->sites, [](const trace::Site &site) {
           return site.operation == abi::Operation::BulkCommit ||
                  site.operation == abi::Operation::MbarrierCopy;
         });
}

} // namespace

void MemoryLifetimes::extend() {
  const std::vector<AllocationInfo> &all = model_.allocations();
  const auto addressOf = [&](std::uint32_t i) { return all[i].allocation.address; };
  const std::size_t unseen = unseen_.size();
  for (; launches_ < model_.launches().size(); ++launches_) {
    const LaunchInfo &launch = model_.launches()[launches_];
    if (isUnseen(launch) || mayCopyUnseen(model_.moduleOf(launch)))
      unseen_.push_back(launch.launch.order); // ascending, as launches are
  }
  const std::size_t blank = blank_.size();
  std::vector<std::uint32_t> added, merged;
  for (auto i = static_cast<std::uint32_t>(opened_.size()); i < all.size(); ++i) {
    const trace::Allocation &memory = all[i].allocation;
    isDevice_.push_back(makesBlank(memory));
    opened_.push_back(UINT64_MAX);
    blank_.push_back(i);
    // Driver's calls without a place are those that CUPTI has told of.
    hasForeign_ = hasForeign_ || (memory.call.starts_with("cuMem") && memory.file.empty());
    if (!memory.isAddressed() || memory.bytes == 0)
      continue;
    added.push_back(i);
    longest_ = std::max(longest_, memory.bytes);
  }
  if (unseen == unseen_.size() && blank == blank_.size())
    return;
  std::ranges::sort(added, {}, addressOf);
  std::ranges::merge(byAddress_, added, std::back_inserter(merged), {}, addressOf, addressOf);
  byAddress_ = std::move(merged);
  std::erase_if(blank_, [&](std::uint32_t i) {
    const auto first = std::ranges::lower_bound(unseen_, all[i].allocation.order);
    if (first != unseen_.end())
      opened_[i] = *first;
    return first != unseen_.end();
  });
}

std::optional<std::uint32_t> MemoryLifetimes::freed(std::uint64_t address, std::uint64_t order) const {
  const std::vector<AllocationInfo> &all = model_.allocations();
  std::optional<std::uint32_t> last;
  auto next = std::ranges::upper_bound(byAddress_, address, {},
                                       [&](std::uint32_t i) { return all[i].allocation.address; });
  while (next != byAddress_.begin()) {
    const AllocationInfo &info = all[*--next];
    if (address - info.allocation.address >= longest_)
      break;
    if (address - info.allocation.address < info.allocation.bytes && info.freedOrder <= order &&
        (!last || info.freedOrder > all[*last].freedOrder))
      last = *next;
  }
  return last;
}

std::optional<std::uint32_t> MemoryLifetimes::endsBelow(std::uint64_t address, std::uint64_t order) const {
  const std::vector<AllocationInfo> &all = model_.allocations();
  auto next = std::ranges::upper_bound(byAddress_, address, {},
                                       [&](std::uint32_t i) { return all[i].allocation.address; });
  while (next != byAddress_.begin())
    if (const std::uint32_t i = *--next;
        isAlive(all[i], order) && address - all[i].allocation.address >= all[i].allocation.bytes)
      return i;
  return std::nullopt;
}

std::optional<std::uint32_t> MemoryLifetimes::holds(std::uint64_t address, std::uint64_t order) const {
  const std::vector<AllocationInfo> &all = model_.allocations();
  auto next = std::ranges::upper_bound(byAddress_, address, {},
                                       [&](std::uint32_t i) { return all[i].allocation.address; });
  while (next != byAddress_.begin()) {
    const AllocationInfo &info = all[*--next];
    if (address - info.allocation.address >= longest_)
      break;
    if (address - info.allocation.address < info.allocation.bytes && isAlive(info, order))
      return *next;
  }
  return std::nullopt;
}

bool MemoryLifetimes::isBlank(const Range &range, std::uint64_t order) const {
  const std::optional<std::uint32_t> allocation = holds(range.begin, order);
  if (!allocation || !isBlank(*allocation, order))
    return false;
  const trace::Allocation &memory = model_.allocations()[*allocation].allocation;
  return range.end <= accessRange(memory.address, memory.bytes).end;
}

} // namespace cupr::analysis

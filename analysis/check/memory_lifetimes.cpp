#include "memory_lifetimes.h"

#include "analysis/engine/unseen_launches.h"

#include <algorithm>
#include <string_view>

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

MemoryLifetimes::MemoryLifetimes(const Model &model)
    : model_(model), isDevice_(model.allocations().size()), opened_(model.allocations().size(), UINT64_MAX) {
  const std::vector<AllocationInfo> &all = model.allocations();
  std::vector<std::uint64_t> unseen;
  for (const LaunchInfo &launch : model.launches())
    if (isUnseen(launch) || mayCopyUnseen(model.moduleOf(launch)))
      unseen.push_back(launch.launch.order);
  std::ranges::sort(unseen);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const trace::Allocation &memory = all[i].allocation;
    isDevice_[i] = makesBlank(memory);
    // Driver's calls without a place are those that CUPTI has told of.
    hasForeign_ = hasForeign_ || (memory.call.starts_with("cuMem") && memory.file.empty());
    const auto first = std::ranges::lower_bound(unseen, memory.order);
    if (first != unseen.end())
      opened_[i] = *first;
    if (!memory.isAddressed() || memory.bytes == 0)
      continue;
    byAddress_.push_back(i);
    longest_ = std::max(longest_, memory.bytes);
  }
  std::ranges::sort(byAddress_, {}, [&](std::uint32_t i) { return all[i].allocation.address; });
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

} // namespace cupr::analysis

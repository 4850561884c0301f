#include "library_tables.h"

#include <algorithm>

namespace cupr::analysis {

LibraryTables::LibraryTables(const Model &model) {
  std::vector<Range> all;
  for (const AllocationInfo &info : model.allocations())
    if (const trace::Allocation &of = info.allocation; of.isAddressed() && of.bytes != 0)
      all.push_back(accessRange(of.address, of.bytes));
  std::ranges::sort(all, {}, &Range::begin);
  for (const Range &range : all)
    if (allocated_.empty() || range.begin > allocated_.back().end)
      allocated_.push_back(range);
    else
      allocated_.back().end = std::max(allocated_.back().end, range.end);
}

bool LibraryTables::isAllocated(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(allocated_, address, {}, &Range::begin);
  return next != allocated_.begin() && address < std::prev(next)->end;
}

bool LibraryTables::areAllOf(const SourceAccess &access) const {
  return access.operation == abi::OperationClass::Load && !allocated_.empty() &&
         std::ranges::all_of(access.parts, [&](const AccessPart &part) {
           return part.site->sourceType == 0 && !isAllocated(part.patterns->first);
         });
}

} // namespace cupr::analysis

#include "shared_variables.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace cupr::analysis {

namespace {

/// What is deeper stands in the type: no program has it, but a file may.
constexpr std::size_t kMostDimensions = 16;

/// Takes the length off the type of an array: 32 off `[32 x float]`, which leaves `float`. Nothing: it is none.
std::optional<std::uint64_t> takeLength(std::string_view &type) {
  std::uint64_t length = 0;
  if (type.size() < 2 || type.front() != '[' || type.back() != ']')
    return std::nullopt;
  const char *const end = type.data() + type.size() - 1;
  const auto [next, error] = std::from_chars(type.data() + 1, end, length);
  constexpr std::string_view kBetween = " x ";
  if (error != std::errc() || !std::string_view(next, end).starts_with(kBetween))
    return std::nullopt;
  type = {next + kBetween.size(), end};
  return length;
}

} // namespace

SharedVariable sharedVariableOf(const trace::Module &module, const Record &record) {
  const trace::Site &site = *record.site;
  SharedVariable variable{&site,
                          record.access.address[__builtin_ctz(record.access.laneMask)],
                          module.strings[site.name],
                          module.strings[site.type],
                          {}};
  while (variable.lengths.size() < kMostDimensions)
    if (const std::optional<std::uint64_t> length = takeLength(variable.elementType))
      variable.lengths.push_back(*length);
    else
      break;
  if (site.sourceType != 0)
    variable.elementType = module.strings[site.sourceType];
  return variable;
}

std::uint64_t SharedVariable::bytesIn(const LaunchInfo &launch) const {
  return site->bytes ? site->bytes : launch.launch.dynamicShared;
}

std::string SharedVariable::type() const {
  std::string text(elementType);
  for (const std::uint64_t length : lengths)
    text += length == 0 ? std::string("[]") : fmt::format("[{}]", length);
  return text;
}

std::string SharedVariable::at(std::uint64_t bytes) const {
  std::string text(name);
  if (site->elementBytes != 0) {
    std::uint64_t element = bytes / site->elementBytes;
    bytes %= site->elementBytes;
    std::string indices;
    for (std::size_t i = lengths.size(); i-- > 0;) {
      const bool isLast = i == 0 || lengths[i] == 0;
      indices = fmt::format("[{}]{}", isLast ? element : element % lengths[i], indices);
      element = isLast ? 0 : element / lengths[i];
    }
    text += indices;
  }
  return bytes == 0 ? text : text + fmt::format("+{:#x}", bytes);
}

std::vector<SharedVariable> SharedVariables::read(const LaunchInfo &launch) const {
  std::vector<SharedVariable> variables;
  const trace::Module *const module = model_.moduleOf(launch);
  if (!module || std::ranges::none_of(module->sites, [](const trace::Site &site) {
        return site.operation == abi::Operation::Variable;
      }))
    return variables;
  RecordStream records(model_, launch, RecordsOf::Everything);
  abi::WarpAccess said{}; // by one thread; other threads of its warp may be further
  while (const Record *record = records.next()) {
    const abi::WarpAccess &access = record->access;
    if (record->site->operation == abi::Operation::Variable) {
      if (std::ranges::find(variables, record->site, &SharedVariable::site) == variables.end())
        variables.push_back(sharedVariableOf(*module, *record));
      said = access;
    } else if (access.cta == said.cta && access.warp == said.warp && (access.laneMask & said.laneMask) != 0) {
      break;
    }
  }
  std::ranges::sort(variables, {},
                    [](const SharedVariable &variable) { return std::pair(variable.offset, variable.site); });
  return variables;
}

std::span<const SharedVariable> SharedVariables::of(const LaunchInfo &launch) {
  if (launch.launch.id == last_)
    return ofLast_;
  last_ = launch.launch.id;
  ofLast_ = {};
  if (launch.totals.counts.in(abi::MemorySpace::Shared).accesses() != 0) {
    std::vector<SharedVariable> &known =
        known_[{launch.launch.module, launch.launch.mangled, launch.launch.device}];
    if (known.empty() && read_.insert(last_).second)
      known = read(launch);
    ofLast_ = known;
  }
  return ofLast_;
}

const SharedVariable *holderOf(std::span<const SharedVariable> variables, const LaunchInfo &launch,
                               std::uint64_t offset) {
  const auto next = std::ranges::upper_bound(variables, offset, {}, &SharedVariable::offset);
  if (next == variables.begin())
    return nullptr;
  const SharedVariable &variable = *std::prev(next);
  return offset - variable.offset < variable.bytesIn(launch) ? &variable : nullptr;
}

std::vector<std::string_view> namesOfAccessed(std::span<const SharedVariable> variables,
                                              const LaunchInfo &launch, const abi::WarpAccess &access) {
  std::vector<const SharedVariable *> found;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
    if (const SharedVariable *const variable =
            holderOf(variables, launch, access.address[std::countr_zero(left)]);
        variable && std::ranges::find(found, variable) == found.end())
      found.push_back(variable);
  std::ranges::sort(found);
  std::vector<std::string_view> names;
  for (const SharedVariable *const variable : found)
    names.push_back(variable->name);
  return names;
}

const SharedVariable *SharedVariables::find(const LaunchInfo &launch, std::uint64_t offset) {
  return holderOf(of(launch), launch, offset);
}

} // namespace cupr::analysis

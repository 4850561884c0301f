#include "exported_sites.h"

#include "cells.h"

#include <bit>

namespace cupr::analysis {

std::uint32_t ExportedSites::string(std::string_view text) {
  const auto [at, isNew] =
      stringNumbers_.emplace(std::string(text), static_cast<std::uint32_t>(strings_.size()));
  if (isNew)
    strings_.emplace_back(text);
  return at->second;
}

void ExportedSites::takePlace(auto &cells, auto &to) {
  to.file = string(cells.template next<std::string_view>().value_or(""));
  cells.takeAll(to.line, to.column);
  to.function = string(cells.template next<std::string_view>().value_or(""));
}

void ExportedSites::addFrame(const Row &row) {
  Cells cells(row);
  std::uint64_t id = 0;
  cells.take(id);
  Call call;
  takePlace(cells, call.frame);
  call.parent = cells.next<std::uint64_t>();
  cells.takeNamed(call.frame.kind, abi::kFrameKinds, abi::frameKindName);
  if (!calls_.emplace(id, call).second)
    throw BrokenExport(fmt::format("there is a frame {} already", id));
}

void ExportedSites::addSite(const Row &row) {
  Cells cells(row);
  std::uint64_t id = 0, module = 0;
  cells.takeAll(id, module);
  Place place;
  trace::Site &site = place.site;
  takePlace(cells, site);
  cells.takeNamed(site.operation, abi::kOperationCount, abi::operationName);
  abi::MemorySpace space{};
  cells.takeNamed(space, abi::kMemorySpaces, abi::spaceName);
  for (unsigned verdict = abi::kSpaceVerdicts; verdict-- > 0;) // the first that means it
    if (abi::spaceOf(static_cast<abi::SpaceVerdict>(verdict)) == space)
      site.space = static_cast<abi::SpaceVerdict>(verdict);
  const auto flag = [&](unsigned bit) {
    bool isSet = false;
    cells.take(isSet);
    site.flags = static_cast<std::uint16_t>(site.flags | (isSet ? bit : 0u));
  };
  flag(abi::kSiteDecided);
  site.type = string(cells.next<std::string_view>().value_or(""));
  std::optional<std::uint64_t> bytes = cells.next<std::uint64_t>();
  if (bytes.value_or(0) > UINT32_MAX)
    cells.bad("is too large");
  site.bytes = static_cast<std::uint32_t>(bytes.value_or(0));
  if (!bytes)
    site.flags |= abi::kSiteRange;
  else if (*bytes == 0 && abi::isAccess(site.operation))
    site.flags |= abi::kSiteBlock; // nothing else accesses nothing
  place.frame = cells.next<std::uint64_t>();
  if (const auto part = cells.next<std::uint64_t>()) {
    const auto noted =
        *part == 0 ? unsigned{abi::kSiteWhole} : 1u + static_cast<unsigned>(std::countr_zero(*part));
    if (!std::has_single_bit(*part | (*part == 0)) || noted > abi::kSiteWhole)
      cells.bad("is no number of bytes that an instruction accesses");
    site.flags = static_cast<std::uint16_t>(site.flags | noted << abi::kSitePartShift);
  }
  flag(abi::kSiteGridBarrier);
  flag(abi::kSiteVolatile);
  cells.takeNamed(site.order, abi::kMemoryOrders, abi::orderName);
  cells.takeNamed(site.scope, abi::kMemoryScopes, abi::scopeName);
  flag(abi::kSiteValues);
  for (std::uint32_t *text : {&site.sourceType, &site.layout, &site.name})
    *text = string(cells.next<std::string_view>().value_or(""));
  cells.take(site.elementBytes);
  flag(abi::kSiteClock);
  flag(abi::kSiteDuration);
  flag(abi::kSiteFollows);
  place.module =
      moduleNumbers_.emplace(module, static_cast<std::uint32_t>(moduleNumbers_.size())).first->second;
  sitesOfModules_.resize(moduleNumbers_.size());
  if (!places_.emplace(id, SitePlace{place.module, sitesOfModules_[place.module]++}).second)
    throw BrokenExport(fmt::format("there is a site {} already", id));
  sites_.push_back(place);
}

/// A module that is being made.
class ExportedSites::Making {
public:
  Making(ExportedSites &from, trace::Module &module) : from_(from), module_(module) {
    module_.strings = {""};
    strings_[0] = 0;
  }

  void add(const Place &place) {
    trace::Site &site = module_.sites.emplace_back(place.site);
    site.file = string(site.file);
    site.function = string(site.function);
    for (std::uint32_t *text : {&site.type, &site.sourceType, &site.layout, &site.name})
      *text = string(*text);
    site.frame = frame(place.frame);
  }

private:
  std::uint32_t string(std::uint32_t number) {
    const auto [at, isNew] = strings_.emplace(number, static_cast<std::uint32_t>(module_.strings.size()));
    if (isNew)
      module_.strings.push_back(from_.strings_[number]);
    return at->second;
  }

  /// The call with this id and those of its function in turn, as far as they are not there yet.
  std::uint32_t frame(std::optional<std::uint64_t> id) {
    std::uint32_t first = abi::kNoFrame;
    for (std::uint32_t *to = &first; id;) {
      const auto [at, isNew] = frames_.emplace(*id, static_cast<std::uint32_t>(module_.frames.size()));
      *to = at->second;
      if (!isNew)
        break;
      const auto call = from_.calls_.find(*id);
      if (call == from_.calls_.end())
        throw BrokenExport(fmt::format("a call names the frame {}, which is not there", *id));
      // Few rows could ask for much memory if frames were copied into any number of modules.
      const auto number = static_cast<std::uint32_t>(module_.id);
      if (call->second.module.value_or(number) != number)
        throw BrokenExport(fmt::format("the frame {} is of two modules", *id));
      call->second.module = number;
      trace::Frame &made = module_.frames.emplace_back(call->second.frame);
      made.file = string(made.file);
      made.function = string(made.function);
      to = &made.parent;
      id = call->second.parent;
    }
    return first;
  }

  ExportedSites &from_;
  trace::Module &module_;
  std::unordered_map<std::uint32_t, std::uint32_t> strings_; ///< numbers in the export and in the module
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;  ///< ids, and numbers in the module
};

std::vector<trace::Module> ExportedSites::modules() {
  std::vector<trace::Module> modules(sitesOfModules_.size());
  std::vector<Making> making;
  for (std::size_t number = 0; number < modules.size(); ++number) {
    modules[number].id = static_cast<trace::ModuleId>(number);
    making.emplace_back(*this, modules[number]);
  }
  for (const Place &place : sites_)
    making[place.module].add(place);
  calls_.clear();
  sites_.clear();
  strings_.clear();
  stringNumbers_.clear();
  return modules;
}

const SitePlace *ExportedSites::find(std::uint64_t id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &found->second;
}

} // namespace cupr::analysis

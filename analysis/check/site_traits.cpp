#include "site_traits.h"

#include "analysis/model/phases.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

namespace cupr::analysis {

namespace {

bool releases(abi::MemoryOrder order) {
  return order == abi::MemoryOrder::Release || order == abi::MemoryOrder::AcquireRelease ||
         order == abi::MemoryOrder::SequentiallyConsistent;
}
bool acquires(abi::MemoryOrder order) {
  return order == abi::MemoryOrder::Acquire || order == abi::MemoryOrder::AcquireRelease ||
         order == abi::MemoryOrder::SequentiallyConsistent;
}

/// What an address must be a multiple of: accesses of sizes that are no powers of two are made of smaller ones.
std::uint32_t alignmentOf(const trace::Site &site) {
  constexpr std::uint32_t kLargest = 16;
  const unsigned part = site.flags >> abi::kSitePartShift & abi::kSitePartMask;
  if (part == 0 || site.bytes == 0)
    return 1;
  const std::uint32_t bytes = part == abi::kSiteWhole ? site.bytes : std::min(site.bytes, 1u << (part - 1));
  return bytes <= kLargest && (bytes & (bytes - 1)) == 0 ? bytes : 1;
}

bool isNumber(std::string_view type) {
  constexpr std::string_view kNumbers[] = {"bool",  "char",           "signed char", "unsigned char",
                                           "short", "unsigned short", "int",         "unsigned int",
                                           "long",  "unsigned long",  "long long",   "unsigned long long",
                                           "float", "double"};
  return std::ranges::find(kNumbers, type) != std::end(kNumbers);
}

bool opensShared(abi::Operation operation) {
  return operation == abi::Operation::MbarrierCopy || operation == abi::Operation::MbarrierExpect ||
         operation == abi::Operation::BulkCommit;
}

} // namespace

ModuleTraits::ModuleTraits(const trace::Module *module, RaceModel model) : model(model) {
  if (!module)
    return;
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Place, std::uint32_t> barriers;
  std::map<std::tuple<Place, std::uint32_t, std::uint32_t, abi::Operation, abi::SpaceVerdict>, std::uint32_t>
      first;
  std::map<std::tuple<Place, std::uint32_t, std::uint32_t, abi::Operation>, abi::SpaceSet> spaces;
  const auto spacesOf = [&](const trace::Site &site) -> abi::SpaceSet & {
    return spaces[{{site.file, site.line, site.column}, site.function, site.frame, site.operation}];
  };
  for (const trace::Site &site : module->sites)
    spacesOf(site) |= abi::spaceBit(abi::spaceOf(site.space));
  isSynchronised = (module->recorded & abi::kRecordsSynchronisation) != 0;
  recordsShared =
      abi::holds(abi::SpaceSet{module->recorded} >> abi::kRecordsSpaces, abi::MemorySpace::Shared);
  sites.reserve(module->sites.size());
  for (const trace::Site &site : module->sites) {
    SiteTraits traits;
    traits.operation = site.operation;
    traits.space = abi::spaceOf(site.space);
    traits.scope = site.scope;
    const abi::OperationClass kind = abi::operationClass(site.operation);
    traits.isSynchronisation = kind == abi::OperationClass::Synchronisation;
    traits.hasMask = site.operation == abi::Operation::WarpBarrier || abi::isOfLanes(site.operation);
    hasMasks = hasMasks || traits.hasMask;
    traits.isGridArrival = isGridBarrier(site) && kind == abi::OperationClass::Atomic;
    hasGridBarrier = hasGridBarrier || traits.isGridArrival;
    traits.isAccess = trace::isAccess(site) && !isGridBarrier(site) &&
                      (traits.space == abi::MemorySpace::Global || traits.space == abi::MemorySpace::Shared);
    traits.isLocal = site.operation == abi::Operation::LocalVariable ||
                     (trace::isAccess(site) && traits.space == abi::MemorySpace::Local);
    hasArrays = hasArrays || site.operation == abi::Operation::LocalVariable;
    traits.isSure = traits.isLocal && (site.flags & abi::kSiteSure) != 0;
    traits.variable = traits.isLocal ? site.name : 0;
    traits.isGeneric = !std::has_single_bit(spacesOf(site));
    const bool isOfMemory = traits.isAccess || (traits.isLocal && trace::isAccess(site));
    traits.reads = isOfMemory && kind != abi::OperationClass::Store;
    traits.writes = isOfMemory && kind != abi::OperationClass::Load;
    traits.isCoherent = traits.isAccess && site.order != abi::MemoryOrder::None;
    traits.isStrong =
        traits.isCoherent && (model == RaceModel::Ptx || site.order != abi::MemoryOrder::Volatile);
    traits.releases = releases(site.order);
    traits.acquires = acquires(site.order);
    const bool isOfLock = traits.isStrong && (site.flags & abi::kSiteLock) != 0;
    traits.takesLock = isOfLock && site.operation == abi::Operation::AtomicCAS;
    traits.givesLock = isOfLock && !traits.takesLock;
    hasLocks = hasLocks || traits.takesLock;
    traits.isRegardless = traits.isAccess && (site.flags & abi::kSiteRegardless) != 0;
    const bool isLoad = site.operation == abi::Operation::Load;
    traits.isSpeculated = isLoad && (site.flags & abi::kSiteSpeculated) != 0;
    traits.storesOneValue = !isLoad && (site.flags & abi::kSiteOneValue) != 0;
    const bool isCopy =
        traits.isAccess && traits.space == abi::MemorySpace::Shared && (site.flags & abi::kSiteCopy) != 0;
    traits.isRemoteCopy = isCopy && traits.isCoherent;
    traits.isCopied = isCopy && !traits.isCoherent && (module->recorded & abi::kRecordsSynchronisation) != 0;
    traits.bytes = site.bytes;
    traits.isNumber = isNumber(module->strings[site.sourceType]) && site.bytes <= 8;
    traits.alignment = traits.isAccess ? alignmentOf(site) : 1;
    const Place place{site.file, site.line, site.column};
    if (site.operation == abi::Operation::Barrier)
      traits.barrier = barriers.try_emplace(place, static_cast<std::uint32_t>(barriers.size())).first->second;
    traits.first = first
                       .try_emplace({place, site.function, site.frame, site.operation, site.space},
                                    static_cast<std::uint32_t>(sites.size()))
                       .first->second;
    // Of traces whose modules don't say it.
    isSynchronised = isSynchronised || traits.isSynchronisation;
    recordsShared = recordsShared || (traits.isAccess && traits.space == abi::MemorySpace::Shared);
    hasStrong = hasStrong || traits.isStrong;
    mayHandOver = mayHandOver || site.operation == abi::Operation::Fence ||
                  (traits.isStrong && (traits.releases || traits.acquires)) ||
                  site.operation == abi::Operation::ClusterArrive ||
                  site.operation == abi::Operation::MbarrierArrive;
    hasSystemFence =
        hasSystemFence || (site.operation == abi::Operation::Fence && site.scope == abi::MemoryScope::System);
    sharedIsOpen = sharedIsOpen || opensShared(site.operation);
    hasClusterBarrier = hasClusterBarrier || site.operation == abi::Operation::ClusterArrive;
    sites.push_back(traits);
  }
}

} // namespace cupr::analysis

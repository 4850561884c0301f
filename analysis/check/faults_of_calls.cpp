#include "faults_of_calls.h"

#include "analysis/model/host_paths.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

bool isAct(const FaultPlace &place) { return place.launch == kHost && place.act != kNoAct; }
bool isOfAct(const Fault &fault) { return isAct(fault.place) || (fault.other && isAct(*fault.other)); }

/// Of two that are alike, the one that is shown.
auto rankOf(const Fault &fault) {
  return std::tuple(fault.place.launch, fault.place.act, fault.address, fault.place, fault.other);
}

} // namespace

void mergeByCall(const Model &model, const Ordering &ordering, const std::vector<LaunchIndex> &kernels,
                 const std::vector<const ModuleTraits *> &modules, std::vector<Fault> &faults) {
  if (std::ranges::count_if(faults, isOfAct) < 2)
    return;
  const HostPaths paths(model);
  enum class Kind { Call, Act, Access };
  using Place = std::tuple<Kind, std::uint64_t, std::uint64_t>;
  const auto placeOf = [&](const FaultPlace &place) {
    if (!isAct(place))
      return place.launch == kHost || place.site == FaultPlace::kNoSite
                 ? Place(Kind::Access, place.launch, place.site)
                 : Place(Kind::Access, kernels[place.launch], modules[place.launch]->sites[place.site].first);
    const std::optional<std::uint64_t> call = paths.callOf(ordering.callOrderOf(place.act));
    const std::uint32_t node = call ? model.host().calls[*call].node : trace::kNoHostIndex;
    return node == trace::kNoHostIndex ? Place(Kind::Act, static_cast<std::uint64_t>(place.act), 0)
                                       : Place(Kind::Call, node, 0);
  };
  std::vector<Fault> merged;
  std::map<std::tuple<FaultRule, abi::MemorySpace, Place, Place>, std::size_t> known;
  for (Fault &fault : faults) {
    if (!isOfAct(fault)) {
      merged.push_back(std::move(fault));
      continue;
    }
    Place first = placeOf(fault.place), second = fault.other ? placeOf(*fault.other) : first;
    if (second < first) // two accesses are one pair, whichever comes first
      std::swap(first, second);
    const auto [place, isNew] = known.try_emplace({fault.rule, fault.space, first, second}, merged.size());
    if (isNew) {
      merged.push_back(std::move(fault));
      continue;
    }
    Fault &kept = merged[place->second];
    const std::uint64_t count = kept.count + fault.count;
    const bool isSilent = kept.isSilent && fault.isSilent;
    if (rankOf(fault) < rankOf(kept))
      kept = std::move(fault);
    kept.count = count;
    kept.isSilent = isSilent;
  }
  faults = std::move(merged);
}

} // namespace cupr::analysis

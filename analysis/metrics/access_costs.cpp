#include "access_costs.h"

#include "analysis/engine/program_places.h"

#include <algorithm>
#include <utility>

namespace cupr::analysis {

namespace {

/// Of accesses to this kind of memory, whose figures are `made`. `also`: what else there is of them.
template <typename Cost, typename Also>
std::map<AccessKey, Cost> costsOf(const Model &model, const std::map<KernelSite, SitePatterns> &patterns,
                                  abi::MemorySpace space, decltype(Cost::made) PatternVolume::*made,
                                  Also also) {
  const std::vector<PlacedSite> sites = placedSitesOf(model);
  std::map<AccessKey, Cost> costs;
  for (const auto &[place, found] : patterns) {
    const auto &[module, site] = sites[place.site];
    if (abi::spaceOf(site->space) != space)
      continue;
    const PatternVolume all = found.all();
    Cost &cost = costs[accessKeyOf(model, place.launch, *module, *site)];
    cost.threads += all.threads;
    cost.made.add(all.*made);
    also(cost, found);
  }
  return costs;
}

void addNames(std::vector<std::string> &to, const auto &names) {
  for (const auto &name : names)
    if (const auto place = std::ranges::lower_bound(to, name); place == to.end() || *place != name)
      to.emplace(place, name);
}

template <typename Made>
std::map<AccessKey, Made> sumsOfAccesses(const Model &model, const std::map<KernelSite, Made> &sites) {
  const std::vector<PlacedSite> placed = placedSitesOf(model);
  std::map<AccessKey, Made> sums;
  for (const auto &[place, made] : sites) {
    const auto &[module, site] = placed[place.site];
    sums[accessKeyOf(model, place.launch, *module, *site)] += made;
  }
  return sums;
}

} // namespace

BankCost &BankCost::operator+=(const BankCost &more) {
  threads += more.threads;
  made.add(more.made);
  addNames(variables, more.variables);
  return *this;
}

std::map<AccessKey, AccessCost> accessCosts(const Model &model,
                                            const std::map<KernelSite, SitePatterns> &patterns) {
  return costsOf<AccessCost>(model, patterns, abi::MemorySpace::Global, &PatternVolume::made,
                             [](AccessCost &, const SitePatterns &) {});
}

std::map<AccessKey, BankCost> bankCosts(const Model &model,
                                        const std::map<KernelSite, SitePatterns> &patterns) {
  return costsOf<BankCost>(
      model, patterns, abi::MemorySpace::Shared, &PatternVolume::banks,
      [](BankCost &cost, const SitePatterns &of) { addNames(cost.variables, of.variables); });
}

std::map<AccessKey, CacheFigures> cacheCosts(const Model &model,
                                             const std::map<KernelSite, CacheFigures> &sites) {
  return sumsOfAccesses(model, sites);
}

std::map<AccessKey, CacheReuse> reuseCosts(const Model &model,
                                           const std::map<KernelSite, CacheReuse> &sites) {
  return sumsOfAccesses(model, sites);
}

} // namespace cupr::analysis

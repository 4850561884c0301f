/// Whoever comes first gives its number to all that are the same.
#include "program_places.h"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace cupr::analysis {

std::vector<std::uint32_t> firstSitesOf(const Model &model) {
  std::vector<std::uint32_t> first;
  std::uint32_t sum = 0;
  for (const trace::Module &module : model.modules()) {
    first.push_back(sum);
    sum += static_cast<std::uint32_t>(module.sites.size());
  }
  return first;
}

std::vector<PlacedSite> placedSitesOf(const Model &model) {
  std::vector<PlacedSite> sites;
  for (const trace::Module &module : model.modules())
    for (const trace::Site &site : module.sites)
      sites.push_back({&module, &site});
  return sites;
}

std::vector<std::uint32_t> sourceAccessesOf(const Model &model) {
  std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t, abi::Operation, bool>, std::uint32_t>
      first;
  std::vector<std::uint32_t> accesses;
  for (const trace::Module &module : model.modules())
    for (const trace::Site &site : module.sites) {
      const auto number = static_cast<std::uint32_t>(accesses.size());
      const std::tuple place(std::string_view(module.strings[site.file]), site.line, site.column,
                             site.operation, (site.flags & abi::kSiteVolatile) != 0);
      accesses.push_back(site.line == 0 ? number : first.emplace(place, number).first->second);
    }
  return accesses;
}

std::vector<LaunchIndex> kernelsOf(const Model &model) {
  std::unordered_map<std::string, LaunchIndex> first;
  std::vector<LaunchIndex> kernels;
  for (const LaunchInfo &launch : model.launches())
    kernels.push_back(first.emplace(launch.kernel, static_cast<LaunchIndex>(kernels.size())).first->second);
  return kernels;
}

std::vector<LaunchOfKernel> tracedLaunches(const Model &model, const LaunchSelection &selection) {
  const LaunchFilter filter(selection, model);
  const std::vector<LaunchIndex> kernels = kernelsOf(model);
  std::vector<LaunchOfKernel> chosen;
  for (std::size_t i = 0; i < model.launches().size(); ++i)
    if (const LaunchInfo &launch = model.launches()[i]; launch.launch.traced && filter.has(launch))
      chosen.push_back({kernels[i], i});
  return chosen;
}

} // namespace cupr::analysis

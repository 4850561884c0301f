#include "instruction_mix.h"

#include "analysis/engine/program_places.h"
#include "analysis/engine/site_totals.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerClass = 300, kBytesPerClass = 200;

/// How many instructions of each class a site has.
using SiteClasses = std::vector<std::pair<std::string_view, std::uint32_t>>;

bool isClassName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
}

/// None: the text is something else.
std::optional<SiteClasses> classesOf(std::string_view text) {
  SiteClasses classes;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    if (equals == one.npos || !isClassName(one.substr(0, equals)))
      return std::nullopt;
    std::uint32_t count = 0;
    const char *const end = one.data() + one.size();
    if (const auto [at, error] = std::from_chars(one.data() + equals + 1, end, count);
        error != std::errc() || at != end)
      return std::nullopt;
    classes.emplace_back(one.substr(0, equals), count);
  }
  return classes;
}

bool isExecution(const trace::Site &site) { return site.operation == abi::Operation::Instructions; }

} // namespace

ExecutedCount InstructionMix::sum() const {
  ExecutedCount sum;
  for (const auto &[name, count] : *this)
    sum += count;
  return sum;
}

InstructionMix &InstructionMix::operator+=(const InstructionMix &more) {
  for (const auto &[name, count] : more)
    (*this)[name] += count;
  return *this;
}

AccessKey lineOf(AccessKey key) {
  key.column = key.bytes = 0;
  key.operation = abi::Operation::Instructions;
  return key;
}

void forEachExecuted(const trace::Module &module, std::uint32_t first, const ExecutedCount &region,
                     const VisitExecuted &visit) {
  // Else what follows could be asked for once for each site.
  if (module.sites[first].flags & abi::kSiteFollows)
    throw BadTrace(fmt::format("site {} has records, and follows the one before it", first));
  for (std::uint32_t number = first;
       number == first || (number < module.sites.size() && isExecution(module.sites[number]) &&
                           (module.sites[number].flags & abi::kSiteFollows));
       ++number) {
    const trace::Site &site = module.sites[number];
    const auto classes = classesOf(module.strings[site.name]);
    if (!classes)
      throw BadTrace(fmt::format("site {} says '{}' and not what instructions it has", number,
                                 module.strings[site.name]));
    for (const auto &[name, count] : *classes)
      visit(site, name, {region.instructions * count, region.threads * count});
  }
}

bool recordsInstructions(const Model &model) {
  return std::ranges::any_of(placedSitesOf(model),
                             [](const PlacedSite &placed) { return isExecution(*placed.site); });
}

InstructionMixes instructionMixes(const Model &model, const LaunchSelection &selection) {
  const std::vector<LaunchOfKernel> chosen = tracedLaunches(model, selection);
  std::vector<std::size_t> places;
  for (const LaunchOfKernel &launch : chosen)
    places.push_back(launch.place);
  SiteTotals totals(model, RecordsOf::Executions);
  totals.countAnew(places, SiteTotals::Figures::Counts);

  // Launches of a kernel first, so that each of its sites is read and named once.
  std::map<std::pair<LaunchIndex, std::uint32_t>, ExecutedCount> bySite;
  for (const LaunchOfKernel &launch : chosen)
    for (const auto &[site, total] : totals.of(model.launches()[launch.place]))
      bySite[{launch.kernel, site}] += {total.records, total.accesses};

  InstructionMixes mixes;
  const auto what = [] { return std::string("the instructions of its lines"); };
  for (const auto &[place, executed] : bySite) {
    const LaunchIndex kernel = place.first;
    const trace::Module &module = *model.moduleOf(model.launches()[kernel]);
    const trace::Site *last = nullptr;
    InstructionMix *mix = nullptr;
    forEachExecuted(module, place.second, executed,
                    [&](const trace::Site &site, std::string_view name, const ExecutedCount &count) {
                      if (std::exchange(last, &site) != &site)
                        mix = &mixes[lineOf(accessKeyOf(model, kernel, module, site))];
                      model.limit().spend(kStepsPerClass, what);
                      auto found = mix->find(name);
                      if (found == mix->end()) {
                        model.limit().keep(kBytesPerClass + name.size(), what);
                        found = mix->emplace(name, ExecutedCount{}).first;
                      }
                      found->second += count;
                    });
  }
  return mixes;
}

} // namespace cupr::analysis

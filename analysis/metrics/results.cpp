#include "results.h"

#include "analysis/engine/kept_patterns.h"

#include <set>
#include <utility>

namespace cupr::analysis {

namespace {

LatencySelection latencyPart(const PartSelection &part) { return {part.launches, part.records}; }

std::map<KernelSite, SitePatterns> patternsOf(const Model &model, const PartSelection &part) {
  return keptPatterns(model, {.launches = part.launches, .records = part.records});
}

/// Of the costs, those in files that are shown.
template <typename Cost> void leaveShown(const ShownPart &shown, std::map<AccessKey, Cost> &costs) {
  std::erase_if(costs, [&](const auto &of) { return !shown.hasFile(of.first.file); });
}

/// Lines that a shown access stands in, and their files. Their figures stay those of all launches.
void leaveShownLines(Results &results) {
  std::set<std::pair<std::string_view, std::uint32_t>> places;
  for (const auto &[key, cost] : results.accesses)
    places.emplace(key.file, key.line);
  for (const auto &[key, cost] : results.banks)
    places.emplace(key.file, key.line);
  for (SourceFile &file : results.sources)
    std::erase_if(file.lines, [&](const auto &line) { return !places.contains({file.path, line.first}); });
  std::erase_if(results.sources, [&](const SourceFile &file) {
    const auto first = places.lower_bound({file.path, 0});
    return first == places.end() || first->first != file.path;
  });
}

} // namespace

Results volumesOf(const Model &model, Communication communication, ShownPart shown) {
  Results results;
  results.shown = std::move(shown);
  results.communication = std::move(communication);
  results.sources = sourceLines(model, results.communication);
  if (!results.shown.hasAllBlocks())
    results.accesses = accessCosts(model, patternsOf(model, results.shown.selection().ofAllFiles()));
  return results;
}

Results costsOf(const Model &model, Communication communication, ShownPart shown) {
  Results results;
  results.shown = std::move(shown);
  results.communication = std::move(communication);
  results.sources = sourceLines(model, results.communication);
  const PartSelection &part = results.shown.selection();
  const std::map<KernelSite, SitePatterns> patterns = patternsOf(model, part.ofAllFiles());
  results.accesses = accessCosts(model, patterns);
  results.banks = bankCosts(model, patterns);
  results.latency = latencyFiguresIfTimed(model, {.selection = latencyPart(part), .excerpts = true});
  // What some launches or blocks did says nothing of who needed it.
  results.findings = results.shown.hasAllBlocks()
                         ? findings(model, results.communication, patterns, results.latency)
                         : wasteFindings(model, patterns, results.latency);
  if (results.shown.isAll())
    return results;
  leaveShown(results.shown, results.accesses);
  leaveShown(results.shown, results.banks);
  std::erase_if(results.findings, [&](const Finding &found) { return !results.shown.hasFile(found.file); });
  leaveShownLines(results);
  return results;
}

Results resultsOf(const Model &model, Communication communication, ShownPart shown) {
  Results results = costsOf(model, std::move(communication), std::move(shown));
  results.transfers = transferMetrics(model, results.communication);
  return results;
}

void addProfileTo(const Model &model, Results &results) {
  results.profile = profileOf(model, ProfileDevice::Accesses, results.shown.selection().launches);
  results.procedures = proceduresOf(model, *results.profile);
}

} // namespace cupr::analysis

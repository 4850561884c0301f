#include "source_accesses.h"

#include "analysis/engine/program_places.h"
#include "analysis/output/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace cupr::analysis {

std::vector<SourceAccess> sourceAccesses(const Model &model,
                                         const std::map<KernelSite, SitePatterns> &patterns,
                                         abi::MemorySpace space) {
  const std::vector<PlacedSite> sites = placedSitesOf(model);
  std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::uint32_t, abi::OperationClass>,
           SourceAccess>
      accesses;
  for (const auto &[place, found] : patterns) {
    const auto &[module, site] = sites[place.site];
    if (abi::spaceOf(site->space) != space)
      continue;
    const std::string_view file = module->strings[site->file];
    const abi::OperationClass operation = abi::operationClass(site->operation);
    SourceAccess &access =
        accesses[{file, site->line, site->column, site->line == 0 ? place.site : 0, operation}];
    access.file = file;
    access.line = site->line;
    access.column = site->column;
    access.operation = operation;
    access.parts.push_back({place, &found, site, found.all()});
    access.all += access.parts.back().all;
    access.met.add(found.met, 1);
    access.at.add(found.at);
    for (const auto &[pattern, volume] : found.patterns)
      access.patterns[pattern] += volume;
  }
  std::vector<SourceAccess> list;
  for (auto &[key, access] : accesses)
    list.push_back(std::move(access));
  return list;
}

AccessTotals totalsOf(const std::vector<SourceAccess> &accesses) {
  AccessTotals totals;
  for (const SourceAccess &access : accesses) {
    totals.sectors += access.all.made.sectors;
    totals.requests += access.all.made.requests;
    totals.threads += access.all.threads;
  }
  return totals;
}

SourceExpression SourceWords::at(std::string_view file, std::uint32_t line, std::uint32_t column,
                                 bool isLoad) {
  const auto [text, isNew] = texts_.try_emplace(file);
  if (isNew)
    for (const trace::Module &module : model_.modules())
      for (const trace::Source &source : module.sources)
        if (text->second.empty() && module.strings[source.path] == file) {
          const auto place = [&] { return "the text of '" + std::string(file) + "'"; };
          model_.limit().keep(source.textBytes, place);
          model_.limit().spend(source.steps(), place);
          text->second = source.text().value_or("");
        }
  return expressionAt(text->second, line, column, isLoad);
}

Finding findingAt(const Model &model, FindingRule rule, const SourceAccess &access, const AccessPart &most,
                  std::string expression) {
  return {.rule = rule,
          .title = "",
          .advice = "",
          .kernel = model.launches()[most.place.launch].kernel,
          .file = std::string(access.file),
          .line = access.line,
          .column = access.column,
          .operation = operationName(access.operation),
          .expression = std::move(expression),
          .warpAccesses = access.all.warpAccesses};
}

std::int64_t lengthOf(std::int64_t distance) {
  return distance < 0 ? -std::max(distance, -INT64_MAX) : distance;
}

std::string distanceText(std::int64_t bytes) {
  const std::int64_t length = lengthOf(bytes);
  return fmt::format("{} {}", grouped(static_cast<std::uint64_t>(length)), length == 1 ? "byte" : "bytes");
}

} // namespace cupr::analysis

#include "kept_patterns.h"

#include "analysis/model/unnamed_file.h"
#include "kept_work.h"

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

namespace cupr::analysis {

namespace {

std::string nameOf(const PatternOptions &options) {
  return fmt::format("patterns, {}, block {}, file {}, banks {}", wordsOf(options.launches),
                     wordsOf(options.records.block), wordsOf(options.records.file),
                     static_cast<int>(options.bankWidth));
}

void save(std::FILE *file, const FewAddresses &addresses) {
  saveOne(file, addresses.isMany());
  saveVector(file, std::vector<std::uint64_t>(addresses.all().begin(), addresses.all().end()));
}

void load(std::FILE *file, FewAddresses &addresses) {
  const auto isMany = loadOne<bool>(file);
  std::vector<std::uint64_t> all;
  loadVector(file, all);
  for (const std::uint64_t address : all)
    addresses.add(address);
  if (isMany)
    addresses.giveUp();
}

/// All members are named, so that one that is new is not forgotten: without it this does not compile.
void save(std::FILE *file, const SitePatterns &site) {
  const auto &[patterns, next, shifts, across, along, block, warp, met, at, first, reach, variables] = site;
  saveOne(file, std::uint64_t{patterns.size()});
  for (const auto &[pattern, volume] : patterns) {
    saveOne(file, pattern);
    saveOne(file, volume);
  }
  for (const Distances *distances : {&next, &across, &along, &block, &warp})
    saveOne(file, *distances);
  saveOne(file, shifts);
  saveOne(file, met);
  for (const FewAddresses *addresses : {&at.all, &at.beside})
    save(file, *addresses);
  saveOne(file, first);
  saveOne(file, reach);
  saveOne(file, std::uint64_t{variables.size()});
  for (const std::string_view name : variables)
    saveVector(file, std::vector<char>(name.begin(), name.end()));
}

/// The model's texts: names of variables point there.
using Texts = std::unordered_set<std::string_view>;

void load(std::FILE *file, const Texts &texts, SitePatterns &site) {
  auto &[patterns, next, shifts, across, along, block, warp, met, at, first, reach, variables] = site;
  for (auto left = loadOne<std::uint64_t>(file); left != 0; --left) {
    const auto pattern = loadOne<RequestPattern>(file);
    patterns[pattern] = loadOne<PatternVolume>(file);
  }
  for (Distances *distances : {&next, &across, &along, &block, &warp})
    *distances = loadOne<Distances>(file);
  shifts = loadOne<std::uint64_t>(file);
  met = loadOne<MeetingVolume>(file);
  for (FewAddresses *addresses : {&at.all, &at.beside})
    load(file, *addresses);
  first = loadOne<std::uint64_t>(file);
  reach = loadOne<Reach>(file);
  for (auto left = loadOne<std::uint64_t>(file); left != 0; --left) {
    std::vector<char> name;
    loadVector(file, name);
    const auto known = texts.find({name.data(), name.size()});
    if (known == texts.end())
      throw std::runtime_error("a variable of another trace");
    variables.insert(*known);
  }
}

} // namespace

std::map<KernelSite, SitePatterns> keptPatterns(const Model &model, const PatternOptions &options) {
  const KeptWork kept(model, nameOf(options));
  std::map<KernelSite, SitePatterns> patterns;
  if (kept.read([&](std::FILE *file) {
        Texts texts;
        for (const trace::Module &module : model.modules())
          texts.insert(module.strings.begin(), module.strings.end());
        for (auto left = loadOne<std::uint64_t>(file); left != 0; --left) {
          const auto place = loadOne<KernelSite>(file);
          load(file, texts, patterns[place]);
        }
      }))
    return patterns;
  patterns = accessPatterns(model, options);
  kept.write([&](std::FILE *file) {
    saveOne(file, std::uint64_t{patterns.size()});
    for (const auto &[place, site] : patterns) {
      saveOne(file, place);
      save(file, site);
    }
  });
  return patterns;
}

} // namespace cupr::analysis

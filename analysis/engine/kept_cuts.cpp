#include "kept_cuts.h"

#include "analysis/model/unnamed_file.h"
#include "kept_work.h"
#include "saved_sum.h"

#include <fmt/format.h>
#include <stdexcept>
#include <string>

namespace cupr::analysis {

namespace {

std::string nameOf(const CutSums &cuts, const AnalysisOptions &options) {
  std::string name = fmt::format("cuts, copies {}", static_cast<int>(options.copies));
  for (const Placement &placement : cuts.cuts.placements()) {
    const Tiles &tiles = placement.tiles();
    name += fmt::format("; {} on {}: {}x{}x{}, {}", static_cast<int>(placement.kind()), placement.devices(),
                        tiles.x, tiles.y, tiles.z, wordsOf(placement.parts()));
  }
  return name;
}

void load(std::FILE *file, std::vector<std::uint64_t> &byCut) {
  const std::size_t cuts = byCut.size();
  loadVector(file, byCut);
  if (byCut.size() != cuts)
    throw std::runtime_error("cuts of another question");
}

} // namespace

void keptCuts(const Model &model, CutSums &cuts, const AnalysisOptions &options) {
  const KeptWork kept(model, nameOf(cuts, options));
  if (kept.read([&](std::FILE *file) {
        load(file, cuts.fetchedOnce);
        load(file, cuts.hostFetchedOnce);
        addSum(file, cuts.flows);
        addSum(file, cuts.memories);
      }))
    return;
  cuts.clear(); // of an entry that could not be read to its end
  followCuts(model, cuts, options);
  kept.write([&](std::FILE *file) {
    saveVector(file, cuts.fetchedOnce);
    saveVector(file, cuts.hostFetchedOnce);
    saveSum(file, cuts.flows);
    saveSum(file, cuts.memories);
  });
}

} // namespace cupr::analysis

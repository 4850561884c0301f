/// Kernel by kernel, and CTA by CTA in cells.
#include "members.h"

#include <algorithm>
#include <map>

namespace cupr::analysis {

namespace {

template <typename T>
void column(ResultsWriter &to, const char *key, const DensityLevel &level, T DensityLevel::Cell::*member) {
  to.json.key(key).beginArray();
  for (const DensityLevel::Cell &cell : level.filled)
    to.json.value(cell.*member);
  to.json.endArray();
}

} // namespace

void kernelMatrix(ResultsWriter &to) {
  struct Cell {
    std::uint64_t bytes = 0, operations = 0;
    std::map<std::uint32_t, std::uint64_t> supersteps;
  };
  const std::uint64_t host =
      std::any_of(to.communication.pairs.begin(), to.communication.pairs.end(),
                  [](const LaunchPair &pair) { return pair.source == kHost || pair.destination == kHost; });
  const auto place = [&](LaunchIndex launch) {
    return launch == kHost ? 0 : to.kernelIndex.at(to.model.launches()[launch].kernel) + host;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Cell> cells;
  for (const LaunchPair &pair : to.communication.pairs) {
    Cell &cell = cells[{place(pair.source), place(pair.destination)}];
    cell.bytes += pair.bytes;
    cell.operations += pair.operations;
    if (pair.destination != kHost)
      cell.supersteps[to.communication.ordering->superstepOf(pair.destination)] += pair.bytes;
  }
  to.json.key("kernelMatrix").beginObject().key("names").beginArray();
  if (host)
    to.json.value("host");
  for (const std::string &kernel : to.kernels)
    to.json.value(kernel);
  to.json.endArray().key("cells").beginArray();
  for (const auto &[key, cell] : cells) {
    to.json.beginObject().field("source", key.first).field("destination", key.second);
    to.json.field("bytes", cell.bytes).field("operations", cell.operations).key("supersteps").beginArray();
    for (const auto &[step, bytes] : cell.supersteps)
      to.json.beginArray().value(step).value(bytes).endArray();
    to.json.endArray().endObject();
    to.putWhenLarge();
  }
  to.json.endArray().endObject();
}

void density(ResultsWriter &to) {
  const DensityMaps &density = to.results.transfers.density;
  to.json.key("density").beginObject().field("ctas", density.ctas).key("maps").beginArray();
  for (const auto &[dependence, levels] : density.maps) {
    to.json.beginObject().field("kind", dependenceName(dependence.kind));
    to.json.field("order", dependenceName(dependence.order)).key("levels").beginArray();
    for (const DensityLevel &level : levels) {
      to.json.beginObject().field("ctasPerCell", level.ctasPerCell).field("cells", level.cells);
      column(to, "source", level, &DensityLevel::Cell::source);
      column(to, "destination", level, &DensityLevel::Cell::destination);
      column(to, "bytes", level, &DensityLevel::Cell::bytes);
      column(to, "transfers", level, &DensityLevel::Cell::transfers);
      to.json.endObject();
      to.putWhenLarge();
    }
    to.json.endArray().endObject();
  }
  to.json.endArray().endObject();
}

} // namespace cupr::analysis

/// Kernel by kernel, and CTA by CTA in cells.
#include "analysis/metrics/kernels.h"
#include "members.h"

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

void matrix(ResultsWriter &to) {
  const KernelMatrix matrix =
      kernelMatrix(to.source.model, to.source.results.communication, to.source.results.shown);
  to.json.key("kernelMatrix").beginObject().key("names").beginArray();
  for (const std::string &name : matrix.names)
    to.json.value(name);
  to.json.endArray().key("cells").beginArray();
  for (const auto &[ends, cell] : matrix.cells) {
    to.json.beginObject().field("source", ends.first).field("destination", ends.second);
    to.json.field("bytes", cell.bytes).field("operations", cell.operations).key("supersteps").beginArray();
    for (const auto &[step, bytes] : cell.supersteps)
      to.json.beginArray().value(step).value(bytes).endArray();
    to.json.endArray().endObject();
    to.putWhenLarge();
  }
  to.json.endArray().endObject();
}

void density(ResultsWriter &to) {
  const DensityMaps &density = to.source.results.transfers.density;
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

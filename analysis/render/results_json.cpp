/// The order of the members is part of what the frozen outputs say.
#include "results_json.h"

#include "results/members.h"

namespace cupr::analysis {

void resultsJson(const Model &model, const Results &results, TransferList transfers,
                 const std::function<void(std::string_view)> &write) {
  ResultsWriter to(model, results, write);
  to.json.beginObject();
  for (const auto member : {program, volume, kernels, launches, supersteps, distances, transferSizes, degrees,
                            bisection, strides, ctaStrides, kernelMatrix, pairs})
    member(to);
  if (transfers == TransferList::Complete)
    transferList(to);
  for (const auto member : {density, dependences, allocations, lines, sources, findingList, advisor})
    member(to);
  to.json.endObject();
  to.put();
  write("\n");
}

void advisorJson(const Model &model, const Results &results,
                 const std::function<void(std::string_view)> &write) {
  ResultsWriter to(model, results, write);
  to.json.beginObject();
  advisor(to);
  to.json.endObject();
  to.put();
  write("\n");
}

} // namespace cupr::analysis

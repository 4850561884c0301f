#include "checked_trace.h"

#include <algorithm>

namespace cupr::analysis {

CheckedTrace::CheckedTrace(const Model &model, const PartSelection &selection, const CheckOptions &options)
    : CheckedTrace(model, selection, LaunchFilter(selection.launches, model), options) {}

CheckedTrace::CheckedTrace(const Model &model, const PartSelection &selection, const LaunchFilter &launches,
                           const CheckOptions &options)
    : model_(model), checked_(check(model, options)), faults_(shownFaults(model, checked_.faults)) {
  const std::string &file = selection.records.file;
  leaveOut([&](const ShownFault &fault) {
    const LaunchIndex launch = fault.fault->place.launch;
    const bool isOfLaunches = launch == kHost ? launches.isAll() : launches.has(model.launches()[launch]);
    const bool isOfFile = file.empty() || std::ranges::any_of(fault.places, [&](const ShownPlace &place) {
                            return isEndOfPath(place.file, file);
                          });
    return !isOfLaunches || !isOfFile;
  });
}

std::set<std::string> CheckedTrace::files() const {
  std::set<std::string> files;
  for (const ShownFault &fault : faults_)
    for (const ShownPlace &place : fault.places)
      if (!place.file.empty())
        files.insert(place.file);
  return files;
}

} // namespace cupr::analysis

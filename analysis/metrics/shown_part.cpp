#include "shown_part.h"

#include "analysis/engine/program_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace cupr::analysis {

ShownPart::ShownPart(const Model &model, PartSelection selection)
    : selection_(std::move(selection)), ofAllFiles_(selection_.ofAllFiles()),
      blocks_(blockNumbers(selection_.records.block)) {
  const RecordFilter places(selection_.records, model); // throws where no access is in the file
  if (const LaunchFilter filter(selection_.launches, model); !filter.isAll()) {
    const std::vector<LaunchIndex> kernels = kernelsOf(model);
    launches_.resize(kernels.size());
    kernels_.resize(kernels.size());
    for (LaunchIndex launch = 0; launch < kernels.size(); ++launch)
      if (filter.has(model.launches()[launch])) {
        launches_[launch] = true;
        kernels_[kernels[launch]] = true;
      }
  }
  if (blocks_.empty())
    return;
  std::uint64_t most = 0;
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
    const trace::Dim3 &grid = model.launches()[launch].launch.grid;
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    const bool hasIt = blocks_.size() == 1 ? blocks_[0] < blocks
                                           : blocks_[0] < grid.x && blocks_[1] < grid.y &&
                                                 (blocks_.size() == 2 || blocks_[2] < grid.z);
    if (has(launch) && hasIt)
      return;
    most = has(launch) ? std::max(most, blocks) : most;
  }
  throw std::runtime_error(
      fmt::format("{}: no launch that is shown has a block {}; the largest grid has {} blocks", model.path(),
                  selection_.records.block, most));
}

std::string ShownPart::text() const {
  const std::string launches = selection_.launches.text(), records = selection_.records.text();
  return launches + (launches.empty() || records.empty() ? "" : ", ") + records;
}

std::size_t ShownPart::calls(const Model &model) const {
  std::size_t calls = 0;
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch)
    calls += has(launch) && model.launches()[launch].phase == 0;
  return calls;
}

} // namespace cupr::analysis

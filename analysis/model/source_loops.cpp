#include "source_loops.h"

#include <algorithm>
#include <string>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerLoop = 20, kStepsPerTableRow = 300;

} // namespace

SourceLoops::SourceLoops(const Model &model) : model_(model) {
  const std::vector<trace::HostLoop> &loops = model.host().loops;
  const auto what = [] { return std::string("the loops of its source"); };
  model.limit().spend(kStepsPerTableRow * loops.size(), what);
  model.limit().keep(3 * sizeof(abi::SourceLoop) * loops.size(), what);
  std::map<std::string_view, std::vector<abi::SourceLoop>> files[2];
  for (const trace::HostLoop &loop : loops)
    files[loop.isOfDevice ? 1 : 0][loop.file].push_back(loop.extent);
  for (std::size_t side = 0; side < std::size(files); ++side)
    for (auto &[file, extents] : files[side])
      files_[side].try_emplace(file, std::move(extents));
}

const std::vector<abi::SourceLoop> &SourceLoops::at(LoopSide side, std::string_view file, std::uint32_t line,
                                                    std::uint32_t column) {
  found_.clear();
  const auto &files = files_[static_cast<std::size_t>(side)];
  if (const auto known = line == 0 ? files.end() : files.find(file); known != files.end()) {
    const std::size_t looked = known->second.loopsAt({line, column}, found_);
    model_.limit().spend(kStepsPerLoop * looked, [] { return std::string("the loops around a place"); });
    std::ranges::reverse(found_);
  }
  return found_;
}

} // namespace cupr::analysis

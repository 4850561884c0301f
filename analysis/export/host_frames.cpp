#include "host_frames.h"

#include <string>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerFrame = 50;

} // namespace

HostFrames::HostFrames(const Model &model, const HostPaths &paths) {
  const auto what = [] { return std::string("the calling contexts of the host"); };
  for (std::uint32_t node = 0; node < model.host().nodes.size(); ++node) {
    std::optional<std::uint64_t> caller = at(model.host().nodes[node].parent);
    for (const PathFrame &frame : paths.framesOf(node)) {
      model.limit().spend(kStepsPerFrame, what);
      model.limit().keep(sizeof(Row), what);
      rows_.push_back({caller, frame});
      caller = rows_.size() - 1;
    }
    innermost_.push_back(rows_.size() - 1);
  }
}

} // namespace cupr::analysis

/// The calling contexts of the host as rows: a function at a place in it, and its caller, from the outside to the inside.
#ifndef CUPR_ANALYSIS_HOST_FRAMES_H
#define CUPR_ANALYSIS_HOST_FRAMES_H

#include "analysis/model/host_paths.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// Frames are numbered from 0, callers first. The paths must outlive this.
class HostFrames {
public:
  HostFrames(const Model &model, const HostPaths &paths);

  struct Row {
    std::optional<std::uint64_t> caller;
    PathFrame frame;
  };
  const std::vector<Row> &rows() const { return rows_; }
  /// The innermost frame of a node; none: the node is none.
  std::optional<std::uint64_t> at(std::uint32_t node) const {
    return node == trace::kNoHostIndex ? std::nullopt : std::optional(innermost_[node]);
  }

private:
  std::vector<Row> rows_;
  std::vector<std::uint64_t> innermost_; ///< by node
};

} // namespace cupr::analysis

#endif

/// What rows of a trace refer to each other by: ids of sites and frames, the calls that made acts, and the paths that led to these. It is found
/// out once for a trace, by whom it is asked first; queries look rows up one by one, over and over.
///
/// Not for several threads at once.
#ifndef CUPR_ANALYSIS_ROW_REFERENCES_H
#define CUPR_ANALYSIS_ROW_REFERENCES_H

#include "analysis/model/host_paths.h"
#include "host_frames.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupr::analysis {

class RowReferences {
public:
  /// The model must outlive this.
  explicit RowReferences(const Model &model);

  const Model &model() const { return model_; }

  /// Ids of a module's first site and first frame; `module` may be one past the last.
  std::uint64_t firstSite(std::size_t module) const { return firstSites_[module]; }
  std::uint64_t firstFrame(std::size_t module) const { return firstFrames_[module]; }
  std::uint64_t sites() const { return firstSites_.back(); }
  std::uint64_t frames() const { return firstFrames_.back(); }
  std::size_t moduleOfSite(std::uint64_t site) const { return moduleAt(firstSites_, site); }
  std::size_t moduleOfFrame(std::uint64_t frame) const { return moduleAt(firstFrames_, frame); }

  /// The call that made the act of this order; nothing: none is known.
  std::optional<std::uint64_t> callOf(std::uint64_t order);
  /// Orders of what a call did, ascending as they are in the trace.
  std::span<const std::uint64_t> ordersOf(std::size_t call);
  /// As HostPaths::textOf; it lives as long as this.
  const std::string &pathTo(std::uint32_t node);
  const HostFrames &hostFrames();
  PathFrame innermostOf(std::uint32_t node) { return paths().framesOf(node).back(); }

private:
  static std::size_t moduleAt(const std::vector<std::uint64_t> &firsts, std::uint64_t id);
  const HostPaths &paths();

  const Model &model_;
  std::vector<std::uint64_t> firstSites_ = {0}, firstFrames_ = {0};
  // Empty until they are asked for.
  std::optional<HostPaths> paths_;
  std::optional<HostFrames> hostFrames_;
  std::vector<std::size_t> firstOrders_; ///< of calls, in orders_; one more than there are calls
  std::vector<std::uint64_t> orders_;
  std::vector<std::optional<std::string>> texts_; ///< of nodes
};

} // namespace cupr::analysis

#endif

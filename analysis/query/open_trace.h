/// A trace that is open for queries, with what they find out about it and need again: whose launch an id is, names of functions, and
/// where the chunks of launches lie (chunk_zones.h), what sites add up to (site_totals.h).
#ifndef CUPR_ANALYSIS_OPEN_TRACE_H
#define CUPR_ANALYSIS_OPEN_TRACE_H

#include "analysis/engine/site_totals.h"
#include "analysis/export/row_references.h"
#include "chunk_zones.h"

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Not for several threads at once.
class OpenTrace {
public:
  /// Throws BadTrace, trace::TooMuch.
  explicit OpenTrace(const std::string &path);

  const Model &model() const { return model_; }
  RowReferences &references() { return references_; }
  const RowReferences &references() const { return references_; }
  ChunkZones &zones() { return zones_; }
  SiteTotals &siteTotals() { return totals_; }

  /// Places in Model::launches() of those with this id.
  std::span<const std::pair<std::uint64_t, std::size_t>> launchesOf(std::uint64_t id);
  /// Name of a function as the user knows it, kept for good. `text`: among the module's strings.
  const std::string &functionName(const trace::Module &module, std::uint32_t text);

private:
  const Model model_;
  RowReferences references_;
  ChunkZones zones_;
  SiteTotals totals_;
  std::vector<std::pair<std::uint64_t, std::size_t>> launchesById_; ///< ascending
  std::unordered_map<const std::string *, std::string> functions_;  ///< by the module's string
};

} // namespace cupr::analysis

#endif

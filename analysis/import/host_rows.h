/// The host's calls and samples of an export as rows of a trace again.
///
/// An export has the frames of paths; older ones have paths as texts of functions alone. Each function on a path becomes a node whose object has no
/// name, with a place of its own, so that the same is made of it again.
#ifndef CUPR_ANALYSIS_HOST_ROWS_H
#define CUPR_ANALYSIS_HOST_ROWS_H

#include "cells.h"
#include "hostlib/trace/host_batch.h"
#include "row_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

class HostRows {
public:
  /// Throw BrokenExport.
  void addCall(const Row &row);
  void addSample(const Row &row);
  void addFrame(const Row &row);
  void addLoop(const Row &row);
  const trace::HostBatch &batch() const { return batch_; }

private:
  std::uint32_t threadOf(std::uint64_t id, const std::string &name);
  /// The cells of the path are next.
  std::uint32_t nodeOf(Cells &cells);
  std::uint32_t nodeOf(const std::string &path, const std::string &file, std::uint32_t line);
  std::uint32_t step(std::uint32_t parent, std::string_view function, const std::string &file,
                     std::uint32_t line);
  std::uint32_t add(std::uint32_t parent, trace::HostFrame frame);

  trace::HostBatch batch_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::map<std::pair<std::uint64_t, std::string>, std::uint32_t> threads_;
  std::vector<std::uint32_t> frames_; ///< nodes of the export's frames
  std::map<std::tuple<std::uint32_t, std::string, std::string, std::uint32_t>, std::uint32_t> nodes_;
};

} // namespace cupr::analysis

#endif

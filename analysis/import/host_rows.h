/// The host's calls and samples of an export as rows of a trace again.
///
/// An export has paths as texts of functions. Each becomes a path of nodes whose object has no name, with a place for each node, so that the
/// same text is made of it again.
#ifndef CUPR_ANALYSIS_HOST_ROWS_H
#define CUPR_ANALYSIS_HOST_ROWS_H

#include "hostlib/trace/host_batch.h"
#include "row_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace cupr::analysis {

class HostRows {
public:
  /// Throw BrokenExport.
  void addCall(const Row &row);
  void addSample(const Row &row);
  const trace::HostBatch &batch() const { return batch_; }

private:
  std::uint32_t threadOf(std::uint64_t id, const std::string &name);
  std::uint32_t nodeOf(const std::string &path, const std::string &file, std::uint32_t line);
  std::uint32_t step(std::uint32_t parent, std::string_view function, const std::string &file,
                     std::uint32_t line);

  trace::HostBatch batch_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::map<std::pair<std::uint64_t, std::string>, std::uint32_t> threads_;
  std::map<std::tuple<std::uint32_t, std::string, std::string, std::uint32_t>, std::uint32_t> nodes_;
};

} // namespace cupr::analysis

#endif

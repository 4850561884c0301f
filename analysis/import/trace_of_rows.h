/// Makes a trace of the rows of an export: the counterpart of exportTrace and ModelRows.
///
/// Records are there in full in an export, so those of the trace are recorded ones, also where they were derived once. What an export
/// does not hold is left out: source texts, the calls that freed memory, and of which module a launch is that has no record.
#ifndef CUPR_ANALYSIS_TRACE_OF_ROWS_H
#define CUPR_ANALYSIS_TRACE_OF_ROWS_H

#include "exported_sites.h"
#include "host_rows.h"
#include "hostlib/trace/work_limit.h"
#include "launch_records.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cupr::analysis {

/// Memory: what ends up in a model, within a limit, and a chunk.
class TraceOfRows {
public:
  /// `file`: a new one; it outlives this, as does `limit`.
  TraceOfRows(trace::MessageFile &file, trace::WorkLimit &limit) : file_(file), limit_(limit) {}

  /// The next row. Throws BrokenExport, trace::TooMuch.
  void take(const Row &row);
  /// When there are no more: the trace is whole. Throws BrokenExport if rows are missing.
  void finish();

  /// What the export says of itself that people should know, a sentence each.
  const std::vector<std::string> &notes() const { return notes_; }

private:
  void append(const trace::Message &message);
  void header(const Row &row);
  void launch(const Row &row);
  void record(const Row &row);
  void launchEnd(const Row &row);
  void count(const Row &row);
  void allocation(const Row &row);
  void imageObject(const Row &row);
  void end(const Row &row);
  template <typename Act> void act(const Row &row);
  void finishSites();
  void beginRecords(std::uint32_t module);
  void endUpTo(std::uint64_t order);

  trace::MessageFile &file_;
  trace::WorkLimit &limit_;
  std::vector<std::string> notes_;
  bool losesValues_ = false; ///< as notes_ says
  bool hasHeader_ = false, hasSites_ = false, hasEnd_ = false;
  ExportedSites sites_;
  std::vector<trace::Module> modules_;
  std::vector<trace::ValueSites> valueSites_;           ///< of the modules
  std::map<std::string, std::uint32_t> moduleOfKernel_; ///< by the kernel's mangled name
  std::unordered_set<std::uint64_t> launches_;
  std::optional<trace::Launch> open_; ///< its end is still to come
  std::uint32_t module_ = 0;          ///< of the open launch, once it has records
  std::optional<LaunchRecords> launchRecords_;
  trace::LaunchId counted_{};                         ///< the launch that ended last
  trace::SpaceCounts counts_;                         ///< its
  bool isCounted_ = false;                            ///< all of its records were there
  std::multimap<std::uint64_t, trace::Message> ends_; ///< of allocations and objects, still to come, by order
  HostRows host_;
  std::uint64_t records_ = 0, recordsBefore_ = 0, accesses_ = 0; ///< before the launch
};

} // namespace cupr::analysis

#endif

/// Writes what a trace holds in another format.
///
/// `exportTrace` walks through the model and calls an Exporter: first the process and the sites, then
/// everything in the order of the host's calls, each launch with its records. Memory: the model (a line
/// per launch and host call, 8 bytes per chunk) and one chunk, however many records there are.
#ifndef CUPR_ANALYSIS_EXPORTER_H
#define CUPR_ANALYSIS_EXPORTER_H

#include "analysis/model/launch_selection.h"
#include "analysis/model/record_selection.h"
#include "analysis/model/value_text.h"
#include "analysis/output/byte_sink.h"
#include "analysis/output/json.h"
#include "analysis/output/progress.h"
#include "row_kinds.h"
#include "row_references.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace cupr::analysis {

enum class ArrowShape { Stream, File };

/// Errors of writing are thrown as std::runtime_error.
class Exporter {
public:
  virtual ~Exporter() = default;

  /// Everything but records. The values are valid during the call.
  virtual void row(RowKindId kind, const Values &values) = 0;
  /// Before the launch's records.
  virtual void beginLaunch(const LaunchInfo &launch) = 0;
  virtual void record(const Record &record) = 0;
  /// Which records it takes, of those that are selected.
  virtual RecordsOf wanted() const { return RecordsOf::AllMemory; }
  /// After everything; the export is complete when this returns.
  virtual void finish() = 0;
  /// What rows and records took since it was asked last, in steps of trace::WorkLimit.
  std::uint64_t takeSteps() { return std::exchange(steps_, 0); }
  /// What the format had no room for, for people; empty: nothing.
  virtual std::string leftOut() const { return {}; }

protected:
  std::uint64_t steps_ = 0;
};

/// Which launches and records.
struct Selection {
  LaunchSelection launches;
  RecordSelection records;
  std::uint64_t limit = UINT64_MAX; ///< records of warps altogether
  std::string text() const;
};

void exportTrace(const Model &model, const Selection &selection, Exporter &exporter, Progress &progress);

/// Makes rows of records; what formats of rows are built on.
class RowExporter : public Exporter {
public:
  /// `shape`: Record, Access or WideAccess.
  RowExporter(const Model &model, RowKindId shape);
  void beginLaunch(const LaunchInfo &launch) override;
  void record(const Record &record) override;
  RecordsOf wanted() const override {
    return shape_ == RowKindId::Record ? RecordsOf::Everything : RecordsOf::AllMemory;
  }

private:
  const Model &model_;
  const RowReferences references_;
  const RowKindId shape_;
  const LaunchInfo *launch_ = nullptr;
  const trace::Module *module_ = nullptr;
  std::uint64_t firstSite_ = 0; ///< id of the module's first site
  std::string function_;
  std::uint32_t functionOf_ = UINT32_MAX; ///< string that function_ is the user's name of
  Values values_;
  const std::vector<std::string> &texts(ValueRole role) const {
    return texts_[static_cast<std::size_t>(role)];
  }
  /// By ValueRole, of the record's lanes.
  std::array<std::vector<std::string>, kValueRoles.size()> texts_;
};

/// An object per row, whose "type" is the row's kind: JSON Lines, or each on lines of its own, for people.
std::unique_ptr<Exporter> jsonExporter(const Model &model, ByteSink &sink, Json::Style style);
/// One table with a heading, as RFC 4180 has it but for line ends.
std::unique_ptr<Exporter> csvExporter(const Model &model, ByteSink &sink, RowKindId table);
/// One table of Arrow's, as a file of its IPC format or a stream.
std::unique_ptr<Exporter> arrowExporter(const Model &model, ByteSink &sink, RowKindId table,
                                        ArrowShape shape);
/// A Trace message of the schema that protoSchema gives.
std::unique_ptr<Exporter> protobufExporter(const Model &model, ByteSink &sink);
/// Creates the database.
std::unique_ptr<Exporter> sqliteExporter(const Model &model, const PendingFile &file);

} // namespace cupr::analysis

#endif

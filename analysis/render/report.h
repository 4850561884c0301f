/// The report: one HTML page that shows results, needs nothing else, and loads nothing.
#ifndef CUPR_ANALYSIS_REPORT_H
#define CUPR_ANALYSIS_REPORT_H

#include "checked_trace.h"

#include "analysis/metrics/trace_summary.h"
#include "analysis/output/byte_sink.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// What the page's results are compared with.
struct EarlierTrace {
  const Model &model;
  const Results &results;
};

/// What may stand in the page beside the results; null: it doesn't.
struct BesideResults {
  const EarlierTrace *earlier = nullptr;
  const CheckedTrace *check = nullptr; ///< of the same trace, and the same part of it
};

/// Writes the page to `sink`, which is the caller's to finish. Memory doesn't grow with the page.
void writeReport(const Model &model, const Results &results, ByteSink &sink,
                 const BesideResults &beside = {});

/// The template on its way out, with data in place of its marks.
class ReportPage {
public:
  /// JSON in pieces, to what it is given.
  using Document = std::function<void(const std::function<void(std::string_view)> &)>;

  explicit ReportPage(ByteSink &sink);
  /// Up to the mark, which is left out.
  void copyUpTo(std::string_view mark);
  /// Nothing, if there is no document.
  void put(const Document &document);
  /// A data element around it.
  void putElement(const std::string &id, const Document &document);
  /// What is left.
  void finish() { sink_.write(left_); }

private:
  ByteSink &sink_;
  std::string_view left_; ///< of the template
};

/// The page of several traces: one after the other, each can be forgotten when it is added.
class SeveralTracesPage {
public:
  explicit SeveralTracesPage(ByteSink &sink);
  /// `check` may be null.
  void add(const Model &model, const Results &results, const CheckedTrace *check = nullptr);
  /// Behind the last trace.
  void finish();

private:
  ReportPage page_;
  std::vector<TraceSummary> summaries_;
};

} // namespace cupr::analysis

#endif

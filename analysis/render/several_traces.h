/// The results of several traces: those of each, and their sum. Each is a process of its own, and what
/// processes exchange by other means than a GPU's memory is not in traces, so nothing connects them.
#ifndef CUPR_ANALYSIS_RENDER_SEVERAL_TRACES_H
#define CUPR_ANALYSIS_RENDER_SEVERAL_TRACES_H

#include "results_json.h"

#include <string>
#include <vector>

namespace cupr::analysis {

/// One line for each trace, and the volumes of all.
class SeveralTracesText {
public:
  void add(const Model &model, const Communication &communication);
  std::string text() const;

private:
  struct Line {
    std::string path;
    std::size_t launches;
    ProgramVolume volume;
  };
  std::vector<Line> lines_;
};

/// As `severalTraces` in docs/results.schema.json.
class SeveralTracesJson {
public:
  explicit SeveralTracesJson(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  void add(const Model &model, const Results &results, TransferList transfers);
  /// Behind the last trace.
  void finish();

private:
  std::function<void(std::string_view)> write_;
  std::size_t traces_ = 0;
  ProgramVolume sum_;
};

} // namespace cupr::analysis

#endif

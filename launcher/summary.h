/// What the traces of a run hold, in short: for the person who started it, and as JSON for scripts.
#ifndef CUPR_LAUNCHER_SUMMARY_H
#define CUPR_LAUNCHER_SUMMARY_H

#include "program_run.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cupr::launcher {

/// Sums over launches. Accesses are counted per thread, in all kinds of memory.
struct Figures {
  std::uint64_t launches = 0, traced = 0, records = 0, accesses = 0, accessBytes = 0;
  std::uint64_t waits = 0;   ///< times that a warp waited for room in the record buffer
  std::uint64_t dropped = 0; ///< accesses that were not recorded, since there was no room

  Figures &operator+=(const Figures &other);
};

struct TraceSummary {
  std::string path;
  std::string problem; ///< the file can't be read: nothing else is set
  std::uint64_t fileBytes = 0;
  std::uint64_t pid = 0;
  std::string program, device;
  Figures figures;
  std::map<std::string, std::uint64_t> untraced; ///< launches by reason
  std::map<std::string, std::uint64_t>
      incomplete;                         ///< traced launches whose records are not all there, by reason
  std::map<std::string, Figures> kernels; ///< by name
  /// What `cupranalyze verify` finds wrong; nothing: it was not asked.
  std::optional<std::vector<std::string>> faults;
};

enum class Check { Whole, Ends }; ///< every record, or only what the ends of the launches say

TraceSummary summarise(const std::string &path, Check check);

/// A run of a program, with what came of it.
struct RunSummary {
  std::vector<std::string> command;
  std::string rank; ///< in an MPI job
  Outcome outcome;
  std::optional<Outcome> plain; ///< of the same without tracing
  std::vector<TraceSummary> traces;
};

enum class Detail { Totals, Kernels };

/// Lines without a prefix.
std::vector<std::string> summaryLines(const RunSummary &run, Detail detail);
std::string summaryJson(const RunSummary &run);

/// `exit status 3`, `ended by SIGTERM`.
std::string outcomeText(const Outcome &outcome);

} // namespace cupr::launcher

#endif

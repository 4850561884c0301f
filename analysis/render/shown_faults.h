/// Faults in words: their places in the source, who the threads are, why it is a fault and what would mend it.
#ifndef CUPR_ANALYSIS_SHOWN_FAULTS_H
#define CUPR_ANALYSIS_SHOWN_FAULTS_H

#include "analysis/check/checker.h"
#include "analysis/metrics/source_expression.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupr::analysis {

struct ShownPlace {
  std::string act;                    ///< "launch", "copy", "set", "allocation", "free", "call" or "host"
  std::uint64_t launch = 0;           ///< the program's number; 0: it is none
  std::string kernel;                 ///< empty: it is none
  std::string operation;              ///< "load", "barrier", of the host "copy"
  SourceExpression expression;        ///< the source's words; of an allocation the variable
  std::string file, function;         ///< empty: not known
  std::uint32_t line = 0, column = 0; ///< 0: not known
  std::vector<std::string> callers, callSites; ///< innermost first, as AccessKey has them
  std::optional<trace::Dim3> block, thread;
  std::string
      hostPath; ///< of the call that made the act, or of the host's access: "main > step"; empty: not known
  std::string hostThread; ///< of the host's access: "1234 (worker)"

  /// "tile.cu:12:7"; empty: not known.
  std::string place() const;
};

struct ShownFault {
  const Fault *fault = nullptr;
  std::string title, advice;
  std::vector<ShownPlace> places; ///< one or two; of a race the earlier first
  std::string memory; ///< "16 bytes behind the end of in (256 bytes, cudaMalloc, a.cu:3:7)"; empty: not known
};

/// The model and what was found outlive them. Throws trace::TooMuch.
std::vector<ShownFault> shownFaults(const Model &model, const std::vector<Fault> &faults);

/// Stays the same while lines move: of a baseline.
std::string identityOf(const ShownFault &fault);

/// "race-warps, race-lanes".
std::string rulesText(const std::vector<FaultRule> &rules);

} // namespace cupr::analysis

#endif

#include "decision.h"

#include <fmt/format.h>

#include <algorithm>

namespace cupr::rewrite {

static std::string textOf(const Decision &decision) {
  const std::string caution = decision.caution.empty() ? "" : ", " + decision.caution;
  switch (decision.subject) {
  case Subject::Kernel:
    return fmt::format("kernel '{}' keeps its signature: {}{}", decision.name, decision.reason, caution);
  case Subject::DeviceFunction:
    return fmt::format("device function '{}' keeps its signature: {}{}", decision.name, decision.reason,
                       caution);
  case Subject::Launch:
  case Subject::Call:
    break;
  }
  if (decision.treatment == Treatment::Augmented)
    return decision.caution;
  const std::string of = decision.name.empty() ? "" : fmt::format(" of '{}'", decision.name);
  return fmt::format("this {}{} {}: {}{}", decision.subject == Subject::Launch ? "launch" : "call", of,
                     decision.treatment == Treatment::Carried ? "stays as it is" : "is left alone",
                     decision.reason, caution);
}

void report(const Decision &decision, Diagnostics &diagnostics) {
  const bool isWarning = decision.treatment == Treatment::LeftAlone || !decision.caution.empty();
  if (decision.treatment == Treatment::Augmented && !isWarning)
    return;
  diagnostics.report(isWarning ? Severity::Warning : Severity::Remark,
                     decision.because.value_or(decision.place), textOf(decision));
  if (decision.because)
    diagnostics.report(Severity::Note, decision.place, "it is declared here");
}

unsigned count(const std::vector<Decision> &decisions, Subject subject, Treatment treatment) {
  return static_cast<unsigned>(
      std::count_if(decisions.begin(), decisions.end(), [&](const Decision &decision) {
        return decision.subject == subject && decision.treatment == treatment;
      }));
}

} // namespace cupr::rewrite

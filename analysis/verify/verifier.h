/// Says whether a trace is whole: every rule of trace.capnp holds, every launch has all
/// its records, and the totals are right. Works on all processors.
#ifndef CUPR_VERIFY_VERIFIER_H
#define CUPR_VERIFY_VERIFIER_H

#include "hostlib/trace/reader.h"
#include "hostlib/trace/work_limit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::trace {

struct Verdict {
  /// What is wrong: file, message number and rule, one line each; empty: the trace is
  /// whole. Ends with a line that says so when there are more than kMaxProblems.
  std::vector<std::string> problems;
  std::uint64_t messages = 0;
  std::uint64_t launches = 0;
  std::uint64_t untraced = 0; ///< launches; each says why, and that is no problem
  std::uint64_t derived = 0;  ///< launches whose accesses are not recorded, but follow from them
  std::uint64_t counted = 0;  ///< launches whose accesses were counted on the device
  std::uint64_t chunks = 0;
  std::uint64_t records = 0;
  std::uint64_t words = 0;
  SpaceCounts counts;
};

inline constexpr std::size_t kMaxProblems = 20;

/// Reads all that is left in `reader`, which must stand at its start. Throws TooMuch, if there
/// is a limit.
Verdict verify(Reader &reader, WorkLimit *limit = nullptr);

} // namespace cupr::trace

#endif

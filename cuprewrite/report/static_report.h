/// The static report: what the pass found about every memory access of a program, and
/// why it is traced or not.
///
/// The pass fills it in for one module, as plain data; `cupr++` adds up the modules
/// of a program. An access is one instruction under one pattern of argument
/// spaces: a function that is traced in two clones has each of its accesses
/// twice. What is the same in several modules (a header's kernel) counts once.
///
/// The JSON form is described in docs/static-report.md.
#ifndef CUPR_REPORT_STATIC_REPORT_H
#define CUPR_REPORT_STATIC_REPORT_H

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace cupr::report {

inline constexpr int kStaticReportVersion = 1;

struct Place {
  std::string file;    ///< empty: no line information
  unsigned line = 0;   ///< from 1; 0: unknown
  unsigned column = 0; ///< from 1; 0: unknown
  auto operator<=>(const Place &) const = default;
};

/// A call that was inlined: where it stands, in which function.
struct InlinedCall {
  Place place;
  std::string function;
  auto operator<=>(const InlinedCall &) const = default;
};

/// Where a pointer comes from.
struct PointerSource {
  std::string what;  ///< "kernel parameter `in`"
  std::string space; ///< "global", "not global", "decided at run time"
  auto operator<=>(const PointerSource &) const = default;
};

struct AccessEntry {
  Place place;
  std::string function;               ///< holds the access in the source; without parameters
  std::string clone;                  ///< holds it after optimisation, with the pattern: `copy{0}`
  std::vector<InlinedCall> inlinedAt; ///< innermost first
  std::string operation;              ///< "load", "atomicAdd"; empty: not understood
  std::uint64_t bytes = 0;
  std::string type; ///< LLVM's, of the value; may be empty
  std::string space;
  std::string why; ///< the space, in words
  std::vector<PointerSource> sources;
  bool traced = false;
  std::string reason;   ///< why it is not traced
  bool derived = false; ///< it follows from the launch, and so do all of its kernel: it is not recorded
  /// Why a traced access has to be recorded; empty if it is derived.
  std::string recordedBecause;
  auto operator<=>(const AccessEntry &) const = default;
};

struct FunctionEntry {
  enum class Kind { Kernel, Clone, KeptSignature };
  Kind kind = Kind::Kernel;
  Place place;
  std::string name;  ///< demangled
  std::string clone; ///< as in AccessEntry
  bool traced = false;
  std::string handle; ///< how it gets the trace, or why it has none
  auto operator<=>(const FunctionEntry &) const = default;
};

struct StaticReport {
  std::vector<std::string> modules; ///< sources
  std::vector<AccessEntry> accesses;
  std::vector<FunctionEntry> functions;

  /// Adds another module's report. Afterwards entries are in the order of their places.
  void add(StaticReport other);
};

struct Totals {
  std::size_t accesses = 0, provenGlobal = 0, decided = 0, otherSpace = 0, notTraced = 0, notUnderstood = 0;
};
Totals totalsOf(const StaticReport &report);

inline constexpr const char *kGlobal = "global";
inline constexpr const char *kNotGlobal = "not global";
inline constexpr const char *kDecided = "decided at run time";
inline constexpr const char *kUnknownSpace = "unknown";

std::string toJson(const StaticReport &report);
/// Reads what toJson writes. On a mistake `error` says what is wrong.
StaticReport fromJson(const std::string &text, std::string &error);

/// A table per file, each line of the source followed by its accesses. Reads the sources.
std::string toText(const StaticReport &report);

/// Writes JSON if `path` ends in .json, else text; "-" is standard output. Returns what went wrong.
std::string write(const StaticReport &report, const std::string &path);

} // namespace cupr::report

#endif

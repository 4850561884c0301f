/// Accesses of the source, as findings are told of them: what loads, or stores, or does an atomic at one line and column. Instances of a
/// template, what several calls led to and kernels count together.
#ifndef CUPR_ANALYSIS_SOURCE_ACCESSES_H
#define CUPR_ANALYSIS_SOURCE_ACCESSES_H

#include "analysis/engine/access_patterns.h"
#include "findings.h"
#include "source_expression.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// One site, as one kernel reaches it.
struct AccessPart {
  KernelSite place;
  const SitePatterns *patterns;
  const trace::Site *site;
  PatternVolume all;
};

struct SourceAccess {
  std::string_view file;
  std::uint32_t line, column;
  abi::OperationClass operation;
  std::vector<AccessPart> parts;
  PatternVolume all;
  std::map<RequestPattern, PatternVolume> patterns;
  MeetingVolume met;
  MeetingPlaces at;
};

/// Of all accesses to a kind of memory.
struct AccessTotals {
  std::uint64_t sectors = 0, requests = 0;
  std::uint64_t threads = 0; ///< accesses by threads
};
AccessTotals totalsOf(const std::vector<SourceAccess> &accesses);

/// What a rule says of an access.
struct AccessCause {
  FindingRule rule;
  std::string title, advice;
  std::uint64_t amount = 0; ///< in the rule's unit
  double share = 0, seconds = 0;
};

/// Of this kind of memory. Without a line, each site is an access by itself. The model and the patterns outlive them.
std::vector<SourceAccess> sourceAccesses(const Model &model,
                                         const std::map<KernelSite, SitePatterns> &patterns,
                                         abi::MemorySpace space);

/// The source's words for accesses.
class SourceWords {
public:
  explicit SourceWords(const Model &model) : model_(model) {}
  /// As expressionAt; `file` is the model's. Throws trace::TooMuch.
  SourceExpression at(std::string_view file, std::uint32_t line, std::uint32_t column, bool isLoad);
  /// The words alone; empty: not known.
  std::string of(const SourceAccess &access) {
    return at(access.file, access.line, access.column, access.operation == abi::OperationClass::Load).text;
  }

private:
  const Model &model_;
  std::map<std::string_view, std::string> texts_; ///< by file
};

/// A finding of the access, with its place, `most` being the part that it is about; without texts, cost and share.
Finding findingAt(const Model &model, FindingRule rule, const SourceAccess &access, const AccessPart &most,
                  std::string expression);

/// How far it is, whatever the direction. Addresses may be any numbers, so a distance may be the one that has no opposite.
std::int64_t lengthOf(std::int64_t distance);
/// What a distance mostly is; 0: it isn't known.
inline std::int64_t lengthOf(const Distances &distances) { return lengthOf(distances.most().value_or(0)); }
/// "8,192 bytes".
std::string distanceText(std::int64_t bytes);

/// 0 of nothing.
inline double partOf(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
/// As Finding::operation.
inline const char *operationName(abi::OperationClass operation) {
  static constexpr const char *kNames[] = {"load", "store", "atomic"};
  return kNames[static_cast<unsigned>(operation)];
}

/// An access that wastes less than this part of what it takes is left alone, since borders of arrays always do; and so is one whose waste
/// is less than this part of the program's.
inline constexpr double kOfTheAccess = 0.1, kOfTheProgram = 0.001;
/// Threads of a request, on average, that is about full.
inline constexpr std::uint64_t kLanesOfFull = 24;
/// Structures are no larger, in bytes: what lies further apart are rows.
inline constexpr std::int64_t kLargestStructure = 512;

} // namespace cupr::analysis

#endif

/// The tables in which results are exported: as row_kinds.h, of which the rules for changes hold here, too.
#ifndef CUPR_ANALYSIS_RESULT_KINDS_H
#define CUPR_ANALYSIS_RESULT_KINDS_H

#include "row_kinds.h"

namespace cupr::analysis {

/// Indices in kResultKinds.
enum class ResultKindId : std::size_t {
  Program,
  KernelVolume,
  Launch,
  Superstep,
  CtaVolume,
  SmVolume,
  Transfer,
  LaunchPair,
  Distance,
  TransferSize,
  Degree,
  Stride,
  Bisection,
  Dependence,
  Allocation,
  Line,
  Finding,
  AdvisorCut,
  AdvisorSuperstep,
  AdvisorInside,
  AdvisorAtomic,
  AdvisorPart,
  AddressAccess,
  ThreadStride,
  CtaStride,
};
inline constexpr std::size_t kResultKindCount = 25;

/// By ResultKindId.
extern const RowKind kResultKinds[kResultKindCount];
inline const RowKind &resultKind(ResultKindId id) { return kResultKinds[static_cast<std::size_t>(id)]; }

/// The statements that make the tables, and those that make their indices.
std::string resultSqlSchema();
std::string resultSqlIndices();
/// The tables in Markdown.
std::string resultMarkdown();

} // namespace cupr::analysis

#endif

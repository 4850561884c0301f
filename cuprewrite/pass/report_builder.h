/// Fills in the static report of a module (cuprewrite/report/static_report.h): every
/// access that the plan looked at, traced or not, with the reason.
///
/// `-cupr-static-report=FILE` asks for it. It is made after planning and before
/// anything in the module changes.
#ifndef CUPR_PASS_REPORT_BUILDER_H
#define CUPR_PASS_REPORT_BUILDER_H

#include "derivation.h"
#include "plan.h"
#include "source_place.h"

namespace cupr::pass {

/// Writes the report of the module if one is wanted.
void writeStaticReport(llvm::Module &module, const AddressSpaceAnalysis &analysis,
                       const std::vector<ContextPlan> &plans, const Derivations &derivations,
                       const SourcePlaces &places);

} // namespace cupr::pass

#endif

/// What single accesses of the source waste, and why.
///
/// An access is what loads, or stores, or does an atomic at one line and column: instances of a template, inlined copies and kernels
/// count together. Its *waste* is what its requests have more sectors than their bytes need. The cause is read off the pattern that
/// wastes most (engine/request_pattern.h), off how far the thread's next access and its neighbour's along y are, and off what the
/// kernel's other accesses do.
#ifndef CUPR_ANALYSIS_ACCESS_FINDINGS_H
#define CUPR_ANALYSIS_ACCESS_FINDINGS_H

#include "analysis/engine/access_patterns.h"
#include "findings.h"

#include <map>
#include <vector>

namespace cupr::analysis {

/// 0 of nothing.
inline double partOf(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
/// As Finding::operation.
inline const char *operationName(abi::OperationClass operation) {
  static constexpr const char *kNames[] = {"load", "store", "atomic"};
  return kNames[static_cast<unsigned>(operation)];
}

/// In no order.
std::vector<Finding> accessFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns);

} // namespace cupr::analysis

#endif

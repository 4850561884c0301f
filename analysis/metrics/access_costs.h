/// What each access of the source costs each kernel: the figures of a line (source_lines.h), or those of banks, apart by who makes it,
/// and by the calls that its function was inlined through.
#ifndef CUPR_ANALYSIS_ACCESS_COSTS_H
#define CUPR_ANALYSIS_ACCESS_COSTS_H

#include "analysis/engine/access_patterns.h"
#include "analysis/engine/cache_model.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cupr::analysis {

/// What accesses have in common that count as one: copies that a loop's unrolling made are.
struct AccessKey {
  LaunchIndex kernel = 0; ///< its first launch
  std::string file;       ///< empty: unknown
  std::uint32_t line = 0, column = 0;
  abi::Operation operation = abi::Operation::Load;
  std::string function;             ///< that holds it in the source, as the user knows it
  std::vector<std::string> callers; ///< functions that it was inlined into, innermost first
  /// "file:line:column" in each of them, of the call.
  std::vector<std::string> callSites;
  std::uint32_t bytes = 0; ///< of each thread; 0: they differ
  friend auto operator<=>(const AccessKey &, const AccessKey &) = default;
};

struct AccessCost {
  std::uint64_t threads = 0; ///< accesses of threads
  RequestFigures made;
};

/// Of an access of shared memory.
struct BankCost {
  std::uint64_t threads = 0; ///< accesses of threads
  BankFigures made;
  std::vector<std::string> variables; ///< shared ones that are accessed, as far as they are known; sorted
  BankCost &operator+=(const BankCost &more);
};

/// In all launches of a kernel. Throw trace::TooMuch where call chains ask for too much.
std::map<AccessKey, AccessCost> accessCosts(const Model &model,
                                            const std::map<KernelSite, SitePatterns> &patterns);
std::map<AccessKey, BankCost> bankCosts(const Model &model,
                                        const std::map<KernelSite, SitePatterns> &patterns);
/// Of accesses of global memory.
std::map<AccessKey, CacheFigures> cacheCosts(const Model &model,
                                             const std::map<KernelSite, CacheFigures> &sites);

/// By kernel.
template <typename Cost>
std::map<LaunchIndex, Cost> sumsOfKernels(const std::map<AccessKey, Cost> &accesses) {
  std::map<LaunchIndex, Cost> kernels;
  for (const auto &[key, cost] : accesses)
    kernels[key.kernel] += cost;
  return kernels;
}

} // namespace cupr::analysis

#endif

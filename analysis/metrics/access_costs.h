/// What each access of the source costs each kernel: the figures of a line (source_lines.h), or those of banks, apart by who makes it,
/// and by the calls that led there.
#ifndef CUPR_ANALYSIS_ACCESS_COSTS_H
#define CUPR_ANALYSIS_ACCESS_COSTS_H

#include "access_key.h"
#include "analysis/engine/access_patterns.h"
#include "analysis/engine/cache_model.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cupr::analysis {

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
std::map<AccessKey, CacheReuse> reuseCosts(const Model &model, const std::map<KernelSite, CacheReuse> &sites);

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

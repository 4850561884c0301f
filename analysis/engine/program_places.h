/// Numbers for places in a program of several modules: sites, accesses of the source, kernels.
#ifndef CUPR_ANALYSIS_PROGRAM_PLACES_H
#define CUPR_ANALYSIS_PROGRAM_PLACES_H

#include "analysis/model/launch_selection.h"
#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <cstdint>
#include <vector>

namespace cupr::analysis {

/// Sites of all modules are counted one behind the other. By module: the number of its first.
std::vector<std::uint32_t> firstSitesOf(const Model &model);

/// By site: it, and its module.
struct PlacedSite {
  const trace::Module *module;
  const trace::Site *site;
};
std::vector<PlacedSite> placedSitesOf(const Model &model);

/// By site: the first one of the same access of the source, which is file, line, column, operation, and whether it is volatile: of a
/// library's kernel, all that its header does may be placed at one line.
/// Instances of a template, inlined copies and functions that several calls lead to have sites of their own, and are one access.
std::vector<std::uint32_t> sourceAccessesOf(const Model &model);

/// By launch: the first launch of the same kernel.
std::vector<LaunchIndex> kernelsOf(const Model &model);

/// A launch, by its place in Model::launches().
struct LaunchOfKernel {
  LaunchIndex kernel; ///< its first launch
  std::size_t place;
};
/// Those that are traced and selected, in their order. Throws as LaunchFilter.
std::vector<LaunchOfKernel> tracedLaunches(const Model &model, const LaunchSelection &selection);

} // namespace cupr::analysis

#endif

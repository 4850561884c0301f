/// Drawings for the report: inline SVG whose colours come from the page's style sheet, so
/// that they follow its light and dark themes.
#ifndef CUPR_ANALYSIS_SVG_H
#define CUPR_ANALYSIS_SVG_H

#include "analysis/metrics/matrices.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// `text` with the characters that HTML gives a meaning escaped, and as valid UTF-8.
std::string htmlText(std::string_view text);

/// Kernels against kernels; each cell with its volume and a hover title.
std::string kernelMatrixSvg(const KernelMatrix &matrix);
/// Writers' CTA index to the right, readers' downwards.
std::string densityMapSvg(const DensityMap &map);

/// One superstep of the bar chart.
struct Bar {
  std::string title; ///< for hovering
  std::uint64_t read = 0, written = 0;
};
/// Bars up: bytes read that earlier launches wrote; down: bytes written that later launches
/// read. Joins neighbours when there are more than fit.
std::string superstepBarsSvg(const std::vector<Bar> &bars);

} // namespace cupr::analysis

#endif

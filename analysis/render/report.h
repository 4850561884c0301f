/// The report: one HTML page that needs nothing else, neither network nor script.
#ifndef CUPR_ANALYSIS_REPORT_H
#define CUPR_ANALYSIS_REPORT_H

#include "analysis/metrics/communication.h"
#include "analysis/metrics/source_lines.h"

#include <string>
#include <vector>

namespace cupr::analysis {

std::string reportHtml(const Model &model, const Communication &communication,
                       const std::vector<SourceFile> &sources);

} // namespace cupr::analysis

#endif

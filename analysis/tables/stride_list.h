/// Strides as a list in JSON: the largest volumes, and all others as one.
#ifndef CUPR_ANALYSIS_TABLES_STRIDE_LIST_H
#define CUPR_ANALYSIS_TABLES_STRIDE_LIST_H

#include "analysis/engine/communication.h"

#include <string>
#include <string_view>

namespace cupr::analysis {

/// By descending bytes; those beyond 64 are one entry, whose stride is null.
std::string strideList(const StrideVolume &volume);
/// Of an entry.
inline constexpr std::string_view kStrideSchema = R"({"$ref": "#/$defs/stride"})";

} // namespace cupr::analysis

#endif

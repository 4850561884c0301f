/// Function names as the user knows them.
#ifndef CUPR_ANALYSIS_NAMES_H
#define CUPR_ANALYSIS_NAMES_H

#include "hostlib/trace/function_name.h"

#include <string>
#include <string_view>

namespace cupr::analysis {

/// `name`, a function (mangled or not), without the trace argument that the rewriter put first:
/// `f(cupr::argument::Trace const&, int)` becomes `f(int)`.
std::string userName(std::string_view name);

using trace::baseName;
using trace::shortName;

} // namespace cupr::analysis

#endif

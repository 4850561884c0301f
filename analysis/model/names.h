/// Function names as the user knows them.
#ifndef CUPR_ANALYSIS_NAMES_H
#define CUPR_ANALYSIS_NAMES_H

#include <string>
#include <string_view>

namespace cupr::analysis {

/// `name`, a demangled function, without the trace argument that the rewriter put first:
/// `f(cupr::argument::Trace const&, int)` becomes `f(int)`.
std::string userName(std::string_view name);

/// `name` without its return type, template arguments and parameters:
/// `void ns::f<int>(int*)` becomes `ns::f`.
std::string shortName(std::string_view name);

} // namespace cupr::analysis

#endif

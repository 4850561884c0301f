/// Parts of a function's demangled name.
#ifndef CUPR_TRACE_FUNCTION_NAME_H
#define CUPR_TRACE_FUNCTION_NAME_H

#include <string>
#include <string_view>

namespace cupr::trace {

/// `name` without its return type, template arguments and parameters:
/// `void ns::f<int>(int*)` becomes `ns::f`.
std::string shortName(std::string_view name);

/// The same without namespaces and classes: `f`.
std::string baseName(std::string_view name);

} // namespace cupr::trace

#endif

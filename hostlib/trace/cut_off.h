/// How the end of a launch says that the process was ended while its kernel ran, and that all is there that had been recorded by then.
#ifndef CUPR_TRACE_CUT_OFF_H
#define CUPR_TRACE_CUT_OFF_H

#include <string_view>

namespace cupr::trace {

inline constexpr std::string_view kCutOff =
    "a signal ended the process while the kernel ran; all is there that had been recorded by then";

} // namespace cupr::trace

#endif

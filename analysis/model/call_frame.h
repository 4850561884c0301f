/// The calls that led to a site, in words.
#ifndef CUPR_ANALYSIS_CALL_FRAME_H
#define CUPR_ANALYSIS_CALL_FRAME_H

#include "hostlib/trace/module.h"

#include <string>

namespace cupr::analysis {

/// The function that the call stands in, as the user knows it. What stands for calls that nobody can name has brackets: `[recursion]f`,
/// `[indirect]`, `[merged]`.
std::string callerName(const trace::Module &module, const trace::Frame &frame);

/// Else the frame stands for calls that nobody can name, and is the outermost one.
bool isCallerKnown(const trace::Frame &frame);

/// "file:line:column" of the call, of a recursion "file:line" of the function; empty: unknown.
std::string callPlace(const trace::Module &module, const trace::Frame &frame);

} // namespace cupr::analysis

#endif

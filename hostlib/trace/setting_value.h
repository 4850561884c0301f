/// Whether the text of a setting makes sense: asked by the runtime, which reads it, and by cupr-run, which
/// sets it.
#ifndef CUPR_TRACE_SETTING_VALUE_H
#define CUPR_TRACE_SETTING_VALUE_H

#include "devicelib/abi/setting.h"

#include <string>

namespace cupr::trace {

/// What is expected of the setting where `text` is something else; empty: it makes sense.
std::string unmetExpectation(const abi::Setting &setting, const std::string &text);

} // namespace cupr::trace

#endif

/// What the runtime says to the user: one line on stderr, `cuprewrite: ...`.
#ifndef CUPR_RUNTIME_MESSAGE_H
#define CUPR_RUNTIME_MESSAGE_H

#include "devicelib/abi/standard_error.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace cupr::host {

template <typename... Arguments>
void message(fmt::format_string<Arguments...> text, Arguments &&...arguments) {
  abi::standardError.write("cuprewrite: " + fmt::format(text, std::forward<Arguments>(arguments)...) + "\n");
}

} // namespace cupr::host

#endif

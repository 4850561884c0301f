/// What the runtime says to the user: one line on stderr, `cuprewrite: ...`.
#ifndef CUPR_RUNTIME_MESSAGE_H
#define CUPR_RUNTIME_MESSAGE_H

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace cupr::host {

template <typename... Arguments>
void message(fmt::format_string<Arguments...> text, Arguments &&...arguments) {
  const std::string line = "cuprewrite: " + fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace cupr::host

#endif

/// How cupr++ speaks of its own mistakes and the user's.
#ifndef CUPR_TOOL_MESSAGE_H
#define CUPR_TOOL_MESSAGE_H

#include <fmt/format.h>
#include <string>

namespace cupr::tool {

/// Prints the error. Returns the exit code for it.
inline int fail(const std::string &text) {
  fmt::print(stderr, "cupr++: error: {}\n", text);
  return 1;
}

} // namespace cupr::tool

#endif

/// Whole files as text.
#ifndef CUPR_TOOL_FILE_TEXT_H
#define CUPR_TOOL_FILE_TEXT_H

#include <fstream>
#include <iterator>
#include <string>

namespace cupr::tool {

/// Empty when the file can't be read.
inline std::string fileText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace cupr::tool

#endif

/// Reads a section of an ELF file: an object, a program or a shared library.
#ifndef CUPR_TOOL_ELF_SECTION_H
#define CUPR_TOOL_ELF_SECTION_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::tool {

/// The bytes of the section; nothing when the file has none of that name, or is not a whole
/// 64-bit little-endian ELF file.
std::optional<std::string> elfSection(const std::string &path, std::string_view name);

/// The same of all sections whose names begin so, in the file's order.
std::vector<std::string> elfSections(const std::string &path, std::string_view prefix);

} // namespace cupr::tool

#endif

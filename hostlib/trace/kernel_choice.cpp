#include "kernel_choice.h"

#include "function_name.h"

#include <regex>

namespace cupr::trace {

NamePart namePart(std::string_view word) {
  return word == "function"    ? NamePart::Function
         : word == "qualified" ? NamePart::Qualified
                               : NamePart::Demangled;
}

std::string partOf(const std::string &demangledKernel, NamePart part) {
  switch (part) {
  case NamePart::Function:
    return baseName(demangledKernel);
  case NamePart::Qualified:
    return shortName(demangledKernel);
  case NamePart::Demangled:
    break;
  }
  return demangledKernel;
}

KernelChoice kernelChoice(const std::string &name, const std::string &part) {
  static constexpr std::string_view kRegex = "regex:";
  if (name.starts_with(kRegex)) {
    const std::string expression = name.substr(kRegex.size());
    const std::regex parsed(expression, std::regex::ECMAScript);
    return {expression, part};
  }
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  // A name with scopes can't be a function's base name.
  const bool hasScopes = name.find("::") != std::string::npos;
  return {"^" + std::regex_replace(name, special, R"(\$&)") + "$",
          part == "function" && hasScopes ? "qualified" : part};
}

} // namespace cupr::trace

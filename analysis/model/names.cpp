/// Works on the text that demanglers give; what doesn't look like it is left alone.
#include "names.h"

#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace cupr::analysis {

namespace {

std::string demangled(std::string_view name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      ::abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return text ? std::string(text.get()) : std::string(name);
}

} // namespace

std::string userName(std::string_view given) {
  const std::string whole = given.starts_with("_Z") ? demangled(given) : std::string(given);
  std::string_view name = whole;
  static constexpr std::string_view kType = "cupr::argument::Trace";
  static constexpr std::array<std::string_view, 4> kSuffixes = {" const&", " const", "&", ""};
  std::string result;
  result.reserve(name.size());
  while (!name.empty()) {
    const std::size_t at = name.find(kType);
    result += name.substr(0, at);
    if (at == std::string_view::npos)
      break;
    name.remove_prefix(at);
    // Only a first parameter is ours.
    if (result.empty() || result.back() != '(') {
      result += kType;
      name.remove_prefix(kType.size());
      continue;
    }
    std::string_view rest = name.substr(kType.size());
    for (const std::string_view suffix : kSuffixes)
      if (rest.starts_with(suffix)) {
        rest.remove_prefix(suffix.size());
        break;
      }
    if (rest.starts_with(", ")) {
      rest.remove_prefix(2);
    } else if (!rest.starts_with(")")) {
      result += kType;
      rest = name.substr(kType.size());
    }
    name = rest;
  }
  return result;
}

} // namespace cupr::analysis

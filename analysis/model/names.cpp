/// Works on the text that demanglers give; what doesn't look like it is left alone.
#include "names.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>

namespace cupr::analysis {

namespace {

/// How often a demangler may print a part of the name, at most: what is referred to, `S1_` or `T_`, may itself
/// be made of references, and of a few hundred characters become terabytes. Every path of references is
/// counted.
std::uint64_t mostPrints(std::string_view name) {
  std::map<std::string_view, std::uint64_t> references;
  for (std::size_t at = name.find_first_of("ST"); at < name.size(); at = name.find_first_of("ST", at + 1)) {
    const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", at + 1);
    if (end != std::string_view::npos && name[end] == '_')
      ++references[name.substr(at, end - at)];
  }
  std::uint64_t paths = 1;
  for (const auto &[reference, count] : references)
    paths = paths > UINT32_MAX ? paths : paths * (1 + count);
  return paths;
}

/// Of names that grow: all that may become of them in one run, in bytes.
std::uint64_t &growth() {
  thread_local std::uint64_t left = std::uint64_t{128} << 20;
  return left;
}

constexpr std::size_t kLongestMangled = 64 << 10, kLongName = 64 << 10;
constexpr std::uint64_t kMostPrints = 1u << 20;

std::string demangled(std::string_view name) {
  if (name.size() > kLongestMangled || growth() == 0 || mostPrints(name) > kMostPrints)
    return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      ::abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  if (!text)
    return std::string(name);
  std::string result(text.get());
  if (result.size() > kLongName)
    growth() -= std::min<std::uint64_t>(growth(), result.size());
  return result;
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

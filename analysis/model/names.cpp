/// Works on the text that demanglers give; what doesn't look like it is left alone.
#include "names.h"

#include "devicelib/abi/source_name.h"

#include <algorithm>
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
  return abi::withoutTrace(given.starts_with("_Z") ? demangled(given) : std::string(given));
}

} // namespace cupr::analysis

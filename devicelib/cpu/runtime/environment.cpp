#include "environment.h"

#include "devicelib/abi/standard_error.h"

#include <cstdlib>

namespace cupr::cpu {
namespace {

/// Empty: it is not set.
std::string_view textOf(const abi::Setting &setting) {
  const char *const text = ::secure_getenv(setting.variable);
  return text ? text : "";
}

void complain(const abi::Setting &setting, std::string_view text, const std::string &instead) {
  abi::say("cuprewrite: %s is '%.*s': expected %s; using %s\n", setting.variable,
           static_cast<int>(text.size()), text.data(), abi::expectationOf(setting).c_str(), instead.c_str());
}

} // namespace

std::uint64_t environmentNumber(abi::SettingName name, std::uint64_t fallback) {
  const abi::Setting &setting = abi::settingOf(name);
  const std::string_view text = textOf(setting);
  if (text.empty())
    return fallback;
  if (const auto value = abi::settingNumber(setting, text))
    return *value;
  const bool isValue = abi::settingNumber(setting, setting.fallback).has_value();
  complain(setting, text, isValue ? setting.fallback : std::to_string(fallback));
  return fallback;
}

std::string_view environmentWord(abi::SettingName name) {
  const abi::Setting &setting = abi::settingOf(name);
  const std::string_view text = textOf(setting);
  if (abi::isWord(setting.values, text))
    return text;
  if (!text.empty())
    complain(setting, text, setting.fallback);
  return setting.fallback;
}

} // namespace cupr::cpu

#include "setting_value.h"

#include "output.h"

#include <regex>

namespace cupr::trace {
namespace {

bool isExpression(const std::string &text) {
  try {
    const std::regex parsed(text, std::regex::ECMAScript);
    return true;
  } catch (const std::regex_error &) {
    return false;
  }
}

bool makesSense(const abi::Setting &setting, const std::string &text) {
  switch (setting.kind) {
  case abi::SettingKind::Text:
    return true;
  case abi::SettingKind::Words:
    return abi::isWord(setting.values, text);
  case abi::SettingKind::Switch:
  case abi::SettingKind::Number:
  case abi::SettingKind::Size:
  case abi::SettingKind::PowerOfTwo:
    return abi::settingNumber(setting, text).has_value();
  case abi::SettingKind::FileMode:
    return fileMode(text).has_value();
  case abi::SettingKind::Expression:
    return isExpression(text);
  case abi::SettingKind::Launches:
    return abi::parseLaunches(text).has_value();
  case abi::SettingKind::Blocks:
    return abi::parseBlocks(text).has_value();
  }
  return false;
}

} // namespace

std::string unmetExpectation(const abi::Setting &setting, const std::string &text) {
  return makesSense(setting, text) ? "" : abi::expectationOf(setting);
}

} // namespace cupr::trace

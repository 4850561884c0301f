/// The settings of a traced program (settings.def), and how the text of each is read: in one way by the
/// runtime, by the CPU device and by cupr-run. Host code.
#ifndef CUPR_ABI_SETTING_H
#define CUPR_ABI_SETTING_H

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cupr::abi {

/// How the text of a setting is read.
enum class SettingKind {
  Text,
  Words,      ///< one of several
  Switch,     ///< on or off; 1 and 0 mean the same
  Number,     ///< decimal
  Size,       ///< bytes: a number, K, M or G behind it
  PowerOfTwo, ///< a size
  FileMode,   ///< octal (hostlib/trace/output.h)
  Expression, ///< a regular expression (ECMAScript)
  Launches,   ///< SKIP:COUNT, or SKIP:
  Blocks,     ///< FIRST-LAST, or FIRST-
};

/// What a setting is about.
enum class SettingGroup { Trace, Recorded, Transport, Cpu };

constexpr const char *groupText(SettingGroup group) {
  constexpr const char *kTexts[] = {"Trace", "What is recorded", "How records travel", "CPU device"};
  return kTexts[static_cast<unsigned>(group)];
}

/// A setting by the name of its variable.
enum class SettingName : unsigned {
#define CUPR_SETTING(group, variable, option, kind, values, low, high, fallback, text) variable,
#include "devicelib/abi/settings.def"
};
// clang-format on

/// The members are those that settings.def explains.
struct Setting {
  SettingName name;
  SettingGroup group;
  const char *variable;
  const char *option;
  SettingKind kind;
  const char *values;
  std::uint64_t low, high;
  const char *fallback;
  const char *text;
};

/// In the order in which they are shown, and in that of SettingName.
// clang-format off
inline constexpr Setting kSettings[] = {
#define CUPR_SETTING(group, variable, option, kind, values, low, high, fallback, text)                       \
  {SettingName::variable, SettingGroup::group, #variable, option, SettingKind::kind,                         \
   values,                low,                 high,      fallback, text},
#include "devicelib/abi/settings.def"
};

constexpr const Setting &settingOf(SettingName name) { return kSettings[static_cast<unsigned>(name)]; }

/// An option of cupr-run that means more than the text of a variable.
struct SettingOption {
  SettingName name;
  const char *option, *values, *text;
};

inline constexpr SettingOption kSettingOptions[] = {
#define CUPR_SETTING_OPTION(variable, option, values, text) {SettingName::variable, option, values, text},
#include "devicelib/abi/settings.def"
};

/// Decimal; none: it is no number, or too large for one.
constexpr std::optional<std::uint64_t> parseNumber(std::string_view digits) {
  if (digits.empty())
    return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : digits) {
    const auto next = static_cast<std::uint64_t>(digit - '0');
    if (digit < '0' || digit > '9' || value > (UINT64_MAX - next) / 10)
      return std::nullopt;
    value = 10 * value + next;
  }
  return value;
}

/// Bytes: a number with K, M or G behind it, or without.
constexpr std::optional<std::uint64_t> parseSize(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = kUnits.find(static_cast<char>(text.back() & ~0x20));
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(unit + 1);
      text.remove_suffix(1);
    }
  }
  const std::optional<std::uint64_t> number = parseNumber(text);
  return number && *number <= UINT64_MAX >> shift ? std::optional(*number << shift) : std::nullopt;
}

/// The other way round, as short as it goes: 64M.
inline std::string sizeText(std::uint64_t bytes) {
  unsigned unit = 0;
  for (; unit < 3 && bytes && bytes % 1024 == 0; ++unit)
    bytes /= 1024;
  std::string text = std::to_string(bytes);
  if (unit)
    text += "KMG"[unit - 1];
  return text;
}

/// `FIRST<separator>SECOND`, or `FIRST<separator>`, for which the second is `open`.
using Pair = std::pair<std::uint64_t, std::uint64_t>;
constexpr std::optional<Pair> parsePair(std::string_view text, char separator, std::uint64_t open) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos)
    return std::nullopt;
  const auto first = parseNumber(text.substr(0, at));
  const auto second = at + 1 == text.size() ? std::optional(open) : parseNumber(text.substr(at + 1));
  return first && second ? std::optional(Pair(*first, *second)) : std::nullopt;
}

/// Launches to skip, and then to trace.
constexpr auto parseLaunches(std::string_view text) { return parsePair(text, ':', UINT64_MAX); }

/// The first block, and the one behind the last.
constexpr std::optional<Pair> parseBlocks(std::string_view text) {
  const auto range = parsePair(text, '-', UINT64_MAX - 1);
  if (!range || range->first > range->second || range->second == UINT64_MAX)
    return std::nullopt;
  return Pair(range->first, range->second + 1);
}

/// Whether `text` is one of the words that stand between bars.
constexpr bool isWord(std::string_view words, std::string_view text) {
  for (;;) {
    const std::size_t end = words.find('|');
    if (words.substr(0, end) == text)
      return true;
    if (end == std::string_view::npos)
      return false;
    words.remove_prefix(end + 1);
  }
}

/// The value of a setting that is a number, a size or a switch (1, 0); none: the text makes no sense for it.
constexpr std::optional<std::uint64_t> settingNumber(const Setting &setting, std::string_view text) {
  using enum SettingKind;
  if (setting.kind == Switch) {
    if (text == "on" || text == "1")
      return 1;
    return text == "off" || text == "0" ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  const auto value = setting.kind == Number ? parseNumber(text) : parseSize(text);
  if (!value || *value < setting.low || *value > setting.high ||
      (setting.kind == PowerOfTwo && !std::has_single_bit(*value)))
    return std::nullopt;
  return value;
}

/// The default of such a setting, where that is a value.
constexpr std::uint64_t settingDefault(SettingName name) {
  return *settingNumber(settingOf(name), settingOf(name).fallback);
}

/// What a number or a size may be, for tables: `from 1 to 19`; empty: anything.
inline std::string rangeText(const Setting &setting) {
  using enum SettingKind;
  const bool hasRange = setting.kind == Number || setting.kind == Size || setting.kind == PowerOfTwo;
  if (!hasRange || setting.high == UINT64_MAX)
    return "";
  const auto text = [&](std::uint64_t value) {
    return setting.kind == Number ? std::to_string(value) : sizeText(value);
  };
  return "from " + text(setting.low) + (setting.high == UINT32_MAX ? "" : " to " + text(setting.high));
}

/// What the text of a setting should be, for messages: `a number from 1 to 19`.
inline std::string expectationOf(const Setting &setting) {
  const std::string range = rangeText(setting);
  switch (setting.kind) {
  case SettingKind::Text:
    break;
  case SettingKind::Words: {
    std::string words = setting.values;
    const std::size_t last = words.rfind('|');
    words.replace(last, 1, " or ");
    for (std::size_t at; (at = words.find('|')) != std::string::npos;)
      words.replace(at, 1, ", ");
    return words;
  }
  case SettingKind::Switch:
    return "on or off";
  case SettingKind::Number:
    return range.empty() ? "a number" : "a number " + range;
  case SettingKind::Size:
    return range.empty() ? "a number of bytes, such as 256M" : "a number of bytes " + range;
  case SettingKind::PowerOfTwo:
    return "a power of two " + range;
  case SettingKind::FileMode:
    return "permissions in octal that let you write, such as 600 or 640";
  case SettingKind::Expression:
    return "a regular expression (ECMAScript), such as ^heat";
  case SettingKind::Launches:
    return "SKIP:COUNT, such as 10:5, or SKIP:";
  case SettingKind::Blocks:
    return "FIRST-LAST, such as 0-15, or FIRST-";
  }
  return "a text";
}

} // namespace cupr::abi

#endif

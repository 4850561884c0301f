#include "settings.h"

#include "analysis/output/text.h"
#include "hostlib/trace/setting_value.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace cupr::launcher {

std::string optionsOf(const abi::Setting &setting) {
  std::string options = setting.option;
  for (const abi::SettingOption &own : abi::kSettingOptions)
    if (own.name == setting.name)
      options += (options.empty() ? "" : ",") + std::string(own.option);
  return options;
}

std::string problemWith(const abi::Setting &setting, const std::string &text) {
  const std::string expected = trace::unmetExpectation(setting, text);
  return expected.empty() ? "" : fmt::format("'{}': expected {}", text, expected);
}

std::string settingsMarkdown() {
  std::string text;
  const auto code = [](std::string content) {
    // A bar would end the cell, in code too.
    for (std::size_t at = 0; (at = content.find('|', at)) != std::string::npos; at += 2)
      content.insert(at, "\\");
    return "`" + content + "`";
  };
  std::optional<abi::SettingGroup> group;
  for (const abi::Setting &setting : abi::kSettings) {
    if (group != setting.group)
      text += fmt::format("{}**{}**\n\n| variable | option of cupr-run | values | default | meaning |\n"
                          "| --- | --- | --- | --- | --- |\n",
                          group ? "\n" : "", abi::groupText(setting.group));
    group = setting.group;
    const std::string all = optionsOf(setting), range = abi::rangeText(setting);
    std::string options;
    for (std::string_view rest = all; !rest.empty();) {
      const std::size_t end = rest.find(',');
      options += (options.empty() ? "" : ", ") + code(std::string(rest.substr(0, end)));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    const bool literal = std::string_view(setting.fallback).find('<') != std::string_view::npos;
    text += fmt::format("| {} | {} | {}{} | {} | {} |\n", code(setting.variable), options,
                        code(setting.values), range.empty() ? "" : ", " + range,
                        literal ? code(setting.fallback) : setting.fallback, setting.text);
  }
  return text;
}

std::string settingsText() {
  using enum analysis::Table::Align;
  analysis::Table table({Left, Left, Left, Left});
  table.row({"variable", "now", "default", "option"});
  for (const abi::Setting &setting : abi::kSettings) {
    const char *const now = std::getenv(setting.variable);
    table.row({setting.variable, now ? now : "-", setting.fallback, optionsOf(setting)});
  }
  return table.text();
}

} // namespace cupr::launcher

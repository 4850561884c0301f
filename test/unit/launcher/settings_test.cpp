/// The table of settings against those who read them, and against the page that people read.
#include "launcher/settings.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

using namespace cupr::launcher;
using cupr::abi::kSettings;
using cupr::abi::Setting;

namespace {

const std::filesystem::path kRoot = CUPR_SOURCE_ROOT;

std::string textOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool isListed(const std::string &variable) {
  return std::ranges::find(kSettings, variable, &Setting::variable) != std::end(kSettings);
}

/// The variables that the sources of the runtime, of the writer and of the CPU device read: by name, or as
/// text.
std::set<std::string> variablesRead() {
  static const std::regex read("(\"|SettingName::|[(])(CUPR_[A-Z_]+)\\b");
  std::set<std::string> found;
  for (const char *folder : {"hostlib", "devicelib/cpu/api", "devicelib/cpu/runtime"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".cpp")
        continue;
      const std::string text = textOf(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), read), end; at != end; ++at)
        if ((*at)[1] != "(" || isListed((*at)[2])) // macros have brackets, too
          found.insert((*at)[2]);
    }
  return found;
}

const Setting &named(const std::string &variable) {
  for (const Setting &setting : kSettings)
    if (setting.variable == variable)
      return setting;
  FAIL("no setting " << variable);
  throw 0;
}

} // namespace

TEST_CASE("every variable that is read is in the list, once, and nothing else") {
  const std::set<std::string> read = variablesRead();
  std::set<std::string> listed;
  for (const Setting &setting : kSettings) {
    INFO(setting.variable);
    CHECK(listed.insert(setting.variable).second);
    CHECK(read.contains(setting.variable));
  }
  for (const std::string &variable : read) {
    INFO(variable);
    CHECK(listed.contains(variable));
  }
}

TEST_CASE("a default makes sense, unless the program finds it by itself") {
  const std::set<std::string_view> found{
      "none", "all", "no limit", "by the load", "by the processors", "<program>.<pid>.cuprtrace"};
  for (const Setting &setting : kSettings) {
    INFO(setting.variable << ": " << setting.fallback);
    CHECK((found.contains(setting.fallback) || problemWith(setting, setting.fallback).empty()));
  }
}

TEST_CASE("every setting has an option, or is cupr-run's own") {
  const std::set<std::string_view> own{"CUPR_TRACE_LIST", "CUPR_SUMMARY"};
  for (const Setting &setting : kSettings) {
    INFO(setting.variable);
    CHECK(own.contains(setting.variable) == optionsOf(setting).empty());
  }
}

TEST_CASE("the page about settings holds the table") {
  CHECK(textOf(kRoot / "docs/recording.md").find(settingsMarkdown()) != std::string::npos);
}

TEST_CASE("the README's table names settings and their options") {
  static const std::regex row("\\| (`-[^|]*) \\| (`CUPR_[^|]*) \\|");
  static const std::regex word("`([^`]+)`");
  const std::string text = textOf(kRoot / "README.md");
  unsigned rows = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at, ++rows) {
    std::string options;
    const std::string variables = (*at)[2], shown = (*at)[1];
    for (std::sregex_iterator one(variables.begin(), variables.end(), word); one != end; ++one)
      options += "," + optionsOf(named((*one)[1]));
    for (std::sregex_iterator one(shown.begin(), shown.end(), word); one != end; ++one) {
      INFO((*one)[1] << " of " << variables);
      CHECK((options + ",").find("," + std::string((*one)[1]) + ",") != std::string::npos);
    }
  }
  CHECK(rows >= 5);
}

TEST_CASE("values are looked at before the program runs") {
  const auto good = [](const char *variable, const char *text) {
    return problemWith(named(variable), text).empty();
  };
  CHECK(good("CUPR_DEVICE", "cpu"));
  CHECK_FALSE(good("CUPR_DEVICE", "cp"));
  CHECK_FALSE(good("CUPR_DEVICE", "gpu|cpu"));
  CHECK(good("CUPR_BUFFER", "32M"));
  CHECK(good("CUPR_BUFFER", "4096"));
  CHECK_FALSE(good("CUPR_BUFFER", "M"));
  CHECK_FALSE(good("CUPR_BUFFER", "3X"));
  CHECK_FALSE(good("CUPR_BUFFER", ""));
  CHECK(good("CUPR_SAMPLE", "1"));
  CHECK_FALSE(good("CUPR_SAMPLE", "0"));
  CHECK(good("CUPR_WATCHDOG", "0"));
  CHECK(good("CUPR_LEVEL", "19"));
  CHECK_FALSE(good("CUPR_LEVEL", "20"));
  CHECK_FALSE(good("CUPR_CPU_THREADS", "1K")); // a size, and this is a number
  CHECK(good("CUPR_CPU_MEMORY", "2G"));
  CHECK_FALSE(good("CUPR_CPU_MEMORY", "8192"));
  CHECK_FALSE(good("CUPR_PAGE", "5K"));
  CHECK_FALSE(good("CUPR_PAGE", "2M"));
  CHECK(good("CUPR_FILE_MODE", "640"));
  CHECK_FALSE(good("CUPR_FILE_MODE", "444"));
  for (const char *variable :
       {"CUPR_CPU_CHECK", "CUPR_COUNT", "CUPR_START", "CUPR_ARGUMENTS", "CUPR_FORCE"}) {
    INFO(variable);
    CHECK((good(variable, "on") && good(variable, "off") && good(variable, "1") && good(variable, "0")));
    CHECK_FALSE(good(variable, "yes"));
  }
  CHECK(good("CUPR_CTAS", "0-15"));
  CHECK(good("CUPR_CTAS", "7-"));
  CHECK_FALSE(good("CUPR_CTAS", "7-3"));
  CHECK_FALSE(good("CUPR_CTAS", "7"));
  CHECK(good("CUPR_NVTX", "^solve"));
  CHECK_FALSE(good("CUPR_NVTX", "("));
}

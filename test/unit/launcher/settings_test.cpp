/// The table of settings against those who read them, and against the page that people read.
#include "launcher/settings.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

using namespace cupr::launcher;

namespace {

const std::filesystem::path kRoot = CUPR_SOURCE_ROOT;

/// Variables in the table that no runtime reads yet, and why.

std::string textOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The variables that stand as texts in the sources of the runtime, of the writer and of the CPU device.
std::set<std::string> variablesRead() {
  static const std::regex literal("\"(CUPR_[A-Z_]+)\"");
  std::set<std::string> found;
  for (const char *folder : {"hostlib", "devicelib/cpu/api", "devicelib/cpu/runtime"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h")
        continue;
      const std::string text = textOf(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at)
        found.insert((*at)[1]);
    }
  return found;
}

const Setting &named(const std::string &variable) {
  for (const Setting &setting : settings())
    if (setting.variable == variable)
      return setting;
  FAIL("no setting " << variable);
  throw 0;
}

} // namespace

TEST_CASE("every variable that is read is in the table, once, and nothing else") {
  const std::set<std::string> read = variablesRead();
  CHECK(read.contains("CUPR_TRACE")); // the search finds something
  std::set<std::string> listed;
  for (const Setting &setting : settings()) {
    INFO(setting.variable);
    CHECK(listed.insert(setting.variable).second);
    CHECK(read.contains(setting.variable));
  }
  for (const std::string &variable : read) {
    INFO(variable);
    CHECK(listed.contains(variable));
  }
}

TEST_CASE("the runtime takes the names of the table for settings, and no others") {
  std::set<std::string> known, listed;
  for (const char *name : {
#define CUPR_SETTING(name) #name,
#include "hostlib/runtime/setting_names.def"
       })
    known.insert(name);
  for (const Setting &setting : settings())
    listed.insert(setting.variable);
  CHECK(known == listed);
}

TEST_CASE("every setting has an option, or is cupr-run's own") {
  for (const Setting &setting : settings()) {
    INFO(setting.variable);
    CHECK((setting.value == Value::NoOption) == (setting.option[0] == '\0'));
  }
}

TEST_CASE("the page about settings holds the table") {
  CHECK(textOf(kRoot / "docs/recording.md").find(settingsMarkdown()) != std::string::npos);
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
  CHECK(good("CUPR_CTAS", "0-15"));
  CHECK(good("CUPR_CTAS", "7-"));
  CHECK_FALSE(good("CUPR_CTAS", "7-3"));
  CHECK_FALSE(good("CUPR_CTAS", "7"));
  CHECK(good("CUPR_NVTX", "^solve"));
  CHECK_FALSE(good("CUPR_NVTX", "("));
}

#include "launcher/command_line.h"

#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace cupr::launcher;
using cupr::test::TemporaryFile;

namespace {

using Words = std::vector<std::string>;

struct Parsed {
  CommandLine line;
  std::optional<int> exitCode;

  /// The last value that the environment gets; "-": none.
  std::string variable(const std::string &name) const {
    std::string value = "-";
    for (const auto &[key, text] : line.program.environment)
      if (key == name)
        value = text;
    return value;
  }
};

Parsed parse(Words words) {
  words.insert(words.begin(), "cupr-run");
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  Parsed parsed;
  parsed.line = parseCommandLine(static_cast<int>(argv.size()), argv.data(), parsed.exitCode);
  return parsed;
}

} // namespace

TEST_CASE("what stands behind the program's name is the program's") {
  CHECK(parse({"./app", "-f", "--", "-k", "x"}).line.program.command ==
        Words{"./app", "-f", "--", "-k", "x"});
  CHECK(parse({"--", "-app", "-f"}).line.program.command == Words{"-app", "-f"});
  CHECK(parse({"-q", "--", "app", "--", "x"}).line.program.command == Words{"app", "--", "x"});
  CHECK(parse({"-q", "app"}).line.isQuiet);
  CHECK_FALSE(parse({"app", "-q"}).line.isQuiet);
  CHECK(parse({"app"}).line.program.environment.empty());
}

TEST_CASE("wrong usage ends with 125, help with 0") {
  for (const Words &words :
       {Words{}, Words{"--"}, Words{"--nonsense", "app"}, Words{"-k", "regex:(", "app"},
        Words{"--device", "tpu", "app"}, Words{"-o", "%x", "app"}, Words{"-c", "few", "app"}})
    CHECK(parse(words).exitCode == 125);
  CHECK(parse({"--help"}).exitCode == 0);
  CHECK(parse({"--list-settings"}).exitCode == 0);
  CHECK_FALSE(parse({"app"}).exitCode);
}

TEST_CASE("--latency takes no value") {
  CHECK(parse({"--latency", "app"}).variable("CUPR_LATENCY") == "on");
  CHECK(parse({"--latency", "app"}).line.program.command == Words{"app"});
  CHECK(parse({"app"}).variable("CUPR_LATENCY") == "-");
}

TEST_CASE("kernels are named by function, as in Nsight Compute") {
  const Parsed name = parse({"-k", "add.1", "app"});
  CHECK(name.variable("CUPR_KERNELS") == "^add\\.1$");
  CHECK(name.variable("CUPR_KERNEL_NAME") == "function");
  const Parsed scoped = parse({"-k", "ns::add", "app"});
  CHECK(scoped.variable("CUPR_KERNELS") == "^ns::add$");
  CHECK(scoped.variable("CUPR_KERNEL_NAME") == "qualified");
  const Parsed expression = parse({"--kernel-name", "regex:^a|b", "--kernel-name-base", "demangled", "app"});
  CHECK(expression.variable("CUPR_KERNELS") == "^a|b");
  CHECK(expression.variable("CUPR_KERNEL_NAME") == "demangled");
}

TEST_CASE("launches to skip and to trace become one variable") {
  CHECK(parse({"app"}).variable("CUPR_LAUNCHES") == "-");
  CHECK(parse({"-s", "3", "app"}).variable("CUPR_LAUNCHES") == "3:");
  CHECK(parse({"--launch-count", "2", "app"}).variable("CUPR_LAUNCHES") == "0:2");
  CHECK(parse({"-s", "3", "-c", "2", "app"}).variable("CUPR_LAUNCHES") == "3:2");
}

TEST_CASE("settings go to the environment as they are") {
  const Parsed parsed = parse({"--device=cpu", "--buffer-size", "4M", "--sample", "8", "app"});
  CHECK(parsed.variable("CUPR_DEVICE") == "cpu");
  CHECK(parsed.variable("CUPR_BUFFER") == "4M");
  CHECK(parsed.variable("CUPR_SAMPLE") == "8");
  CHECK(parsed.variable("CUPR_CTAS") == "-");
  CHECK_FALSE(parsed.line.program.onlyThisProcess);
  CHECK(parse({"--target-processes=application-only", "app"}).line.program.onlyThisProcess);
}

TEST_CASE("an output file is absolute, and not replaced unless that is asked for") {
  const TemporaryFile file;
  const auto here = std::filesystem::current_path();
  CHECK(parse({"-o", "no/such/../%p.x", "app"}).variable("CUPR_TRACE") == (here / "no/%p.x").string());
  std::ofstream(file.path()) << "x";
  CHECK(parse({"-o", file.path(), "app"}).exitCode == 125);
  CHECK(parse({"-f", "-o", file.path(), "app"}).variable("CUPR_TRACE") == file.path());
  CHECK(parse({"-o", "/dev/null", "app"}).variable("CUPR_TRACE") == "/dev/null");
}

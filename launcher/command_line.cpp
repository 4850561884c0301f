/// Most options are a variable of the environment under another name, and come from the table of settings.
/// Those that Nsight Compute has, too, behave as there: filters by kernel name are about the function's name,
/// an output file that is there already is not replaced without -f.
#include "command_line.h"

#include "hostlib/manual/manual.h"
#include "hostlib/trace/kernel_choice.h"
#include "hostlib/trace/trace_path.h"
#include "settings.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <regex>

namespace cupr::launcher {

namespace {

/// What the options say that mean more than the text of a variable.
struct Filters {
  std::string output, kernel, kernelBase = "function", processes = "all";
  std::optional<std::uint64_t> skip, count;
  bool overwrites = false;
  bool times = false;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class HelpText final : public CLI::Formatter {
public:
  HelpText() { column_width(34); }
  std::string make_usage(const CLI::App *, std::string) const override {
    return "Usage: cupr-run [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n";
  }
};

using abi::SettingName;

/// How an option that means more than its variable's text is described: `name` tells those of one variable
/// apart.
const abi::SettingOption &ownOption(SettingName setting, std::string_view name = "") {
  for (const abi::SettingOption &own : abi::kSettingOptions)
    if (own.name == setting && std::string_view(own.option).find(name) != std::string_view::npos)
      return own;
  throw std::logic_error(abi::settingOf(setting).variable);
}

const char *variableOf(SettingName setting) { return abi::settingOf(setting).variable; }

void addKernels(Environment &environment, const Filters &filters) {
  try {
    const trace::KernelChoice choice = trace::kernelChoice(filters.kernel, filters.kernelBase);
    environment.emplace_back(variableOf(SettingName::CUPR_KERNELS), choice.expression);
    environment.emplace_back(variableOf(SettingName::CUPR_KERNEL_NAME), choice.part);
  } catch (const std::regex_error &error) {
    throw UsageError(
        fmt::format("--kernel-name: '{}' is no regular expression ({})", filters.kernel, error.what()));
  }
}

void addOutput(Environment &environment, const Filters &filters, const std::string &program) {
  if (const std::string wrong = trace::unknownSequence(filters.output); !wrong.empty())
    throw UsageError(
        fmt::format("--output: '{}' in '{}' is none of %p, %h, %r, %q{{VAR}}, %%", wrong, filters.output));
  // The program may change its folder before its first CUDA call.
  std::string pattern = std::filesystem::absolute(filters.output).lexically_normal().string();
  const auto process = trace::NamedProcess::of(std::filesystem::path(program).filename().string(), 0);
  const trace::TracePath path = trace::tracePath(pattern, process);
  std::error_code error;
  if (pattern.back() == '/' && pattern.find('%') == std::string::npos)
    std::filesystem::create_directories(pattern, error);
  if (error)
    throw UsageError(fmt::format("--output: can't make the folder '{}': {}", pattern, error.message()));
  // Which files a pattern with the number of the process leads to is not known yet; nor do they exist.
  const bool isKnown = !path.isOurName && pattern.find("%p") == std::string::npos;
  if (isKnown && std::filesystem::is_regular_file(path.path, error) && !filters.overwrites)
    throw UsageError(fmt::format("the file '{}' exists: -f replaces it", path.path));
  environment.emplace_back(variableOf(SettingName::CUPR_TRACE), pattern);
}

void addFilters(Program &program, const Filters &filters) {
  if (!filters.output.empty())
    addOutput(program.environment, filters, program.command.front());
  if (!filters.kernel.empty())
    addKernels(program.environment, filters);
  if (filters.skip || filters.count)
    program.environment.emplace_back(
        variableOf(SettingName::CUPR_LAUNCHES),
        fmt::format("{}:{}", filters.skip.value_or(0), filters.count ? std::to_string(*filters.count) : ""));
  if (filters.overwrites)
    program.environment.emplace_back(variableOf(SettingName::CUPR_FORCE), "on");
  if (filters.times)
    program.environment.emplace_back(variableOf(SettingName::CUPR_LATENCY), "on");
  program.onlyThisProcess = filters.processes == "application-only";
}

} // namespace

void complain(const std::string &text) { fmt::print(stderr, "cupr-run: error: {}\n", text); }

CommandLine parseCommandLine(int argc, char **argv, std::optional<int> &exitCode) {
  CommandLine line;
  Filters filters;
  CLI::App app("Runs a program that was built with cupr++, and says in the end what its trace holds. Each "
               "setting of a "
               "traced program is an option here; without an option, what the environment says holds.",
               "cupr-run");
  app.formatter(std::make_shared<HelpText>());
  app.footer("The program has cupr-run's input, output and terminal. cupr-run ends as it ends: with its exit "
             "status, or "
             "by the same signal. Of its own, it exits with 125 (usage), 126 (the program can't be started) "
             "and 127 (it "
             "is not there).\n"
             "mpirun -n 4 cupr-run -o out/ ./app: each rank has a trace and a summary of its own.");
  app.set_version_flag("--version", "cupr-run " CUPR_VERSION);
  app.prefix_command();
  manual::addManual(app);

  const auto addOwn = [&](SettingName name, auto &value, std::string_view option = "") {
    const abi::SettingOption &own = ownOption(name, option);
    return app.add_option(own.option, value, own.text)
        ->option_text(own.values)
        ->group(abi::groupText(abi::settingOf(name).group));
  };
  const auto words = [](SettingName name) {
    return [values = ownOption(name).values](const std::string &text) {
      return abi::isWord(values, text) ? "" : fmt::format("'{}': expected one of {}", text, values);
    };
  };
  addOwn(SettingName::CUPR_TRACE, filters.output);
  const abi::SettingOption &force = ownOption(SettingName::CUPR_FORCE);
  app.add_flag(force.option, filters.overwrites, force.text)->group(abi::groupText(abi::SettingGroup::Trace));
  const abi::SettingOption &latency = ownOption(SettingName::CUPR_LATENCY);
  app.add_flag(latency.option, filters.times, latency.text)
      ->group(abi::groupText(abi::SettingGroup::Recorded));
  addOwn(SettingName::CUPR_PROCESS, filters.processes)->check(words(SettingName::CUPR_PROCESS));
  addOwn(SettingName::CUPR_KERNELS, filters.kernel);
  addOwn(SettingName::CUPR_KERNEL_NAME, filters.kernelBase)->check(words(SettingName::CUPR_KERNEL_NAME));
  addOwn(SettingName::CUPR_LAUNCHES, filters.skip, "--launch-skip");
  addOwn(SettingName::CUPR_LAUNCHES, filters.count, "--launch-count");
  std::map<const abi::Setting *, std::string> values;
  for (const abi::Setting &setting : abi::kSettings) {
    if (!*setting.option)
      continue;
    const std::string range = abi::rangeText(setting);
    const std::string help =
        fmt::format("{} (default: {}{})", setting.text, setting.fallback, range.empty() ? "" : "; " + range);
    app.add_option(setting.option, values[&setting], help)
        ->option_text(setting.values)
        ->check([&setting](const std::string &text) { return problemWith(setting, text); })
        ->group(abi::groupText(setting.group));
  }
  std::string listing;
  app.add_flag("--dry-run", line.isDryRun,
               "write no trace, but count the records, and say how large the trace would be")
      ->group("Report");
  app.add_flag(
         "--compare", line.isCompared,
         "run the program once more, without tracing and without input and output, to tell the slowdown")
      ->group("Report");
  app.add_flag("--per-kernel", line.showsKernels, "a line per kernel in the summary")->group("Report");
  app.add_option("--summary", line.summaryFile,
                 "write the summary as JSON, too; -: to standard error, instead")
      ->option_text("FILE")
      ->group("Report");
  app.add_flag("--no-verify", line.isUnverified, "don't read the trace in full to see whether it is whole")
      ->group("Report");
  app.add_flag("-q,--quiet", line.isQuiet, "no summary; errors are printed all the same")->group("Report");
  app.add_flag("--list-settings{text}", listing,
               "print all settings of traced programs, with what the environment says, and end")
      ->group("Report")
      ->option_text("[=markdown]")
      ->check(CLI::IsMember({"text", "markdown"}));

  // All behind `--`, or from the program's name on, is the program's.
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--")
    ++own;
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError &error) {
    exitCode = app.exit(error) == 0 ? 0 : kUsage;
    return line;
  }
  std::vector<std::string> &command = line.program.command;
  command = app.remaining();
  const int rest = command.empty() ? own + 1 : own; // behind the program's name, `--` is one of its arguments
  if (rest < argc)
    command.insert(command.end(), argv + rest, argv + argc);
  try {
    if (!listing.empty()) {
      fmt::print("{}", listing == "markdown" ? settingsMarkdown() : settingsText());
      exitCode = 0;
      return line;
    }
    if (command.empty())
      throw UsageError("no program to run; cupr-run --help explains the command line");
    if (line.isDryRun && line.isCompared)
      throw UsageError("--dry-run and --compare: choose one");
    if (command.front().starts_with("-"))
      throw UsageError(fmt::format("unknown option '{}'; cupr-run --help lists them", command.front()));
    addFilters(line.program, filters);
  } catch (const UsageError &error) {
    complain(error.what());
    exitCode = kUsage;
    return line;
  }
  for (const auto &[setting, text] : values)
    if (!text.empty())
      line.program.environment.emplace_back(setting->variable, text);
  return line;
}

} // namespace cupr::launcher

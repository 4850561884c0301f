/// `check`: races, memory that nobody wrote or owns, barriers that not all come to.
#include "live_check.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/render/check_json.h"
#include "analysis/render/checked_trace.h"
#include "analysis/render/fault_text.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace cupr::analysis {

namespace {

enum class Format { Text, Json, Sarif };

struct CheckVerbOptions {
  std::string path, baseline, baselineToWrite;
  std::size_t top = 20;
  Format format = Format::Text;
  bool isQuiet = false, isLive = false;
  std::vector<std::string> failOn, without;
  PartSelection selection;
  CheckOptions check;
};

bool isRule(const std::string &text) {
  return std::ranges::any_of(kFaultRules, [&](FaultRule rule) { return text == idOf(rule); });
}

std::string noRule(const std::string &text) {
  return isRule(text) ? std::string()
                      : "'" + text + "' is no rule: " + rulesText({kFaultRules.begin(), kFaultRules.end()});
}

void printText(const CheckVerbOptions &options, const Checked &checked,
               const std::vector<ShownFault> &faults) {
  for (std::size_t i = 0; i < std::min(options.top, faults.size()); ++i)
    fmt::print("{}", faultText(faults[i]));
  if (faults.size() > options.top)
    fmt::print("{} more: --top {}\n", faults.size() - options.top, faults.size());
  fmt::print("{}{}", checkedText(checked, faults.size()), uncheckedText(checked));
}

/// One fault in each line, as identityOf() has it; lines that begin with '#' are for people.
std::set<std::string> readBaseline(const std::string &path) {
  std::ifstream in(path);
  if (!in)
    throw std::runtime_error("can't read '" + path + "'");
  std::set<std::string> known;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() != '#')
      known.insert(line);
  return known;
}

void writeBaseline(const std::string &path, const std::vector<ShownFault> &faults) {
  std::ofstream out(path);
  out << "# Faults that 'cupranalyze check --baseline' leaves out, one in each line: rule, then of each "
         "place file, "
         "function, operation, expression and kernel.\n";
  for (const ShownFault &fault : faults)
    out << identityOf(fault) << '\n';
  if (!out.flush())
    throw std::runtime_error("can't write '" + path + "'");
}

bool isIn(const std::vector<std::string> &rules, FaultRule rule) {
  return std::ranges::find(rules, idOf(rule)) != rules.end();
}

int runCheck(CheckVerbOptions &options) {
  if (options.isLive)
    return followLive(options.path, options.check);
  const Model model(options.path, LaunchParts::Whole);
  warnIfTruncated(model);
  Progress progress("check", stderr, ::isatty(STDERR_FILENO) != 0);
  options.check.progress = options.isQuiet ? nullptr : &progress;
  CheckedTrace trace(model, options.selection, options.check);
  trace.leaveOut([&](const ShownFault &fault) { return isIn(options.without, fault.fault->rule); });
  const std::vector<ShownFault> &faults = trace.faults();
  if (!options.baselineToWrite.empty())
    writeBaseline(options.baselineToWrite, faults);
  std::size_t known = 0;
  if (!options.baseline.empty()) {
    const std::set<std::string> baseline = readBaseline(options.baseline);
    known = trace.leaveOut([&](const ShownFault &fault) { return baseline.contains(identityOf(fault)); });
  }
  switch (options.format) {
  case Format::Text:
    printText(options, trace.checked(), faults);
    if (known != 0)
      fmt::print("{} known from {} left out\n", known, options.baseline);
    break;
  case Format::Json:
    std::fputs(checkJson(model, trace.checked(), faults).c_str(), stdout);
    break;
  case Format::Sarif:
    std::fputs(
        checkSarif(model, trace.checked(), faults, std::filesystem::current_path().string(), CUPR_VERSION)
            .c_str(),
        stdout);
    break;
  }
  const bool fails = std::ranges::any_of(faults, [&](const ShownFault &fault) {
    return options.failOn.empty() ? failsBy(fault.fault->rule) : isIn(options.failOn, fault.fault->rule);
  });
  return fails ? kExitFound : kExitGood;
}

} // namespace

Verb addCheck(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "check",
      "Say where a program uses memory as it may not: races between lanes, warps, blocks and launches, "
      "memory "
      "that is read and was never written, addresses out of bounds, freed or misaligned, barriers that only "
      "a part of a block comes to, leaks, errors that nobody looks at. Programs are best built for it: "
      "cupr++ --spaces=global,shared "
      "--synchronisation. Exits with 4 if there is a fault (leaks alone are none).");
  auto options = std::make_shared<CheckVerbOptions>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("--top", options->top, "How many to print")->capture_default_str();
  auto *json = command->add_flag_callback(
      "--json", [options] { options->format = Format::Json; }, "All of them, as docs/check.schema.json says");
  command
      ->add_flag_callback(
          "--sarif", [options] { options->format = Format::Sarif; },
          "All of them, as SARIF 2.1.0: for the pages of code reviews. Paths are relative to the working "
          "folder")
      ->excludes(json);
  command
      ->add_option("--fail-on", options->failOn,
                   "Exit with 4 only for faults of this rule. May be given several times")
      ->check(noRule);
  command->add_option("--without", options->without, "Leave out this rule. May be given several times")
      ->check(noRule);
  command->add_option(
      "--baseline", options->baseline,
      "Leave out what this file names, which --write-baseline wrote; lines may be deleted or added");
  command->add_option("--write-baseline", options->baselineToWrite, "Write what is found to this file");
  command
      ->add_option_function<std::string>(
          "--model",
          [options](const std::string &name) {
            options->check.model =
                name == raceModelName(RaceModel::Scoped) ? RaceModel::Scoped : RaceModel::Ptx;
          },
          "What is a race: by PTX's memory model, or by that of scoped races: volatile accesses are data, "
          "which must be ordered, but behind a look at a flag need no fence")
      ->check(CLI::IsMember({raceModelName(RaceModel::Ptx), raceModelName(RaceModel::Scoped)}))
      ->default_str(raceModelName(RaceModel::Ptx));
  command->add_option("--file", options->selection.records.file,
                      "Only faults with an access in this source file: its path, or the end of it");
  addLaunchSelection(*command, options->selection.launches);
  refuseSelection(*command, "blocks are checked against each other");
  command
      ->add_option("--threads", options->check.threads, "How many threads work; default: one per processor")
      ->check(CLI::Range(1u, 1024u));
  command
      ->add_option("--memory", options->check.memory,
                   "How much memory to take, about, for what one launch accesses: 512M, 8G (default 2G)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1} << 24, std::uint64_t{1} << 60));
  command->add_flag("--quiet,-q", options->isQuiet, "No progress on stderr");
  command->add_flag("--live", options->isLive,
                    "Follow a trace while it is written, as lines of stdin ask: what CUPR_CHECK starts");
  return [options] { return runCheck(*options); };
}

} // namespace cupr::analysis

/// `findings`: what costs most, why, and what to do about it.
#include "shared_options.h"
#include "verb.h"

#include "analysis/engine/kept_patterns.h"
#include "analysis/metrics/finding_baseline.h"
#include "analysis/metrics/results.h"
#include "analysis/output/progress.h"
#include "analysis/output/text.h"
#include "analysis/render/results_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <regex>
#include <string>
#include <unistd.h>
#include <vector>

namespace cupr::analysis {

namespace {

/// "cost=1": findings of these rules, from this share on, make the exit code.
struct FailOn {
  std::string what; ///< a rule, a severity or "any"
  double percent = 0;

  static bool isKnown(const std::string &what) {
    if (what == "any")
      return true;
    for (const FindingRule rule : kFindingRules)
      if (what == idOf(rule) || what == nameOf(severityOf(rule)))
        return true;
    return false;
  }
  bool isFor(const Finding &finding) const {
    return (what == "any" || what == idOf(finding.rule) || what == nameOf(severityOf(finding.rule))) &&
           100 * finding.share >= percent;
  }
};

struct FindingsOptions {
  std::string path, baseline, file;
  std::size_t top = 20;
  bool json = false, accessesOnly = false;
  std::vector<FailOn> failOn;
  PartSelection part; ///< launches and blocks
  AnalysisOptions analysis;
};

/// "1.2 ms".
std::string secondsText(double seconds) {
  if (seconds >= 1)
    return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3)
    return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds >= 1e-6)
    return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.2f} ns", seconds * 1e9);
}

/// Of large ones as much as a number holds.
std::string rounded(double cycles) {
  constexpr double kMost = 9e18;
  return grouped(static_cast<std::uint64_t>(std::llround(std::min(std::abs(cycles), kMost))));
}

/// "229,376 +- 12 cycles lost in timed launches, known of 50.0 % of its accesses".
std::string lostText(const LostCycles &lost) {
  std::string text = fmt::format("{}{} +- {} cycles lost in timed launches", lost.cycles <= -0.5 ? "-" : "",
                                 rounded(lost.cycles), rounded(lost.error));
  if (lost.share < 1)
    text += fmt::format(", known of {:.1f} % of its accesses", 100 * lost.share);
  return text;
}

/// By what they are in order, where cycles are known of one.
void printOrder(const Model &model, const std::vector<Finding> &found) {
  if (std::ranges::none_of(found, [](const Finding &finding) { return finding.lost.has_value(); }))
    return;
  fmt::print(
      "First come those that lost cycles in timed launches, by these; then, by their time, those that no "
      "cycles are known of; last those that were timed and are not seen to lose any.\n");
  if (isModelled(model))
    fmt::print("Cycles are modelled: the program ran on the CPU device.\n");
}

fmt::text_style styleOf(Severity severity) {
  return fmt::emphasis::bold | fmt::fg(severity == Severity::Correctness ? fmt::terminal_color::red
                                       : severity == Severity::Cost      ? fmt::terminal_color::yellow
                                                                         : fmt::terminal_color::cyan);
}

/// `whole`: what shares are of.
void printFinding(const Finding &finding, const char *whole) {
  fmt::print("{}: {}\n", coloured(idOf(finding.rule), styleOf(severityOf(finding.rule))),
             shown(finding.title));
  std::string place = finding.file;
  if (finding.line != 0)
    place += fmt::format(":{}", finding.line);
  if (finding.column != 0)
    place += fmt::format(":{}", finding.column);
  if (*finding.operation != '\0')
    place += fmt::format(" ({}{}{})", finding.operation, finding.expression.empty() ? "" : " of ",
                         finding.expression);
  if (!place.empty())
    fmt::print("  {}\n", shown(place));
  if (!finding.kernel.empty())
    fmt::print("  in {}\n", shown(finding.kernel));
  if (!finding.path.empty())
    fmt::print("  called by {}\n", shown(finding.path));
  fmt::print("  {} {}, {:.1f} % of the {}", grouped(finding.amount), unitOf(finding.rule),
             100 * finding.share, whole);
  if (finding.seconds > 0)
    fmt::print("; up to {}{}", secondsText(finding.seconds),
               finding.isMeasured ? " by the trace's times" : "");
  if (finding.lost)
    fmt::print("; {}", lostText(*finding.lost));
  fmt::print("\n  {}\n\n", finding.advice);
}

/// What was looked for, so that silence says something.
std::string checkedText(const FindingsOptions &options) {
  std::string text;
  for (const FindingRule rule : kFindingRules)
    if (!options.accessesOnly || isOfAccess(rule))
      text += fmt::format("{}{}", text.empty() ? "" : ", ", idOf(rule));
  return text;
}

Results resultsFor(const Model &model, const FindingsOptions &options) {
  if (!options.accessesOnly)
    return costsOf(model, communication(model, options.analysis));
  Progress progress("findings", stderr, ::isatty(STDERR_FILENO) != 0);
  Results results;
  results.shown = ShownPart(model, options.part);
  results.latency =
      latencyFiguresIfTimed(model, {.selection = {options.part.launches, options.part.records}});
  results.findings =
      wasteFindings(model,
                    keptPatterns(model, {.launches = options.part.launches,
                                         .records = options.part.records,
                                         .progress = options.analysis.quiet ? nullptr : &progress}),
                    results.latency);
  return results;
}

int runFindings(const FindingsOptions &options) {
  const Model model(options.path, LaunchParts::Phases);
  warnIfTruncated(model);
  Results results = resultsFor(model, options);
  std::vector<Finding> &found = results.findings;
  if (!options.file.empty())
    std::erase_if(found, [&](const Finding &finding) { return !isEndOfPath(finding.file, options.file); });
  const std::size_t known = options.baseline.empty() ? 0 : FindingBaseline(options.baseline).takeOut(found);
  if (options.json) {
    findingsJson(model, results,
                 [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  } else {
    for (std::size_t i = 0; i < std::min(options.top, found.size()); ++i)
      printFinding(found[i], options.part.isAll() ? "program's" : "chosen part's");
    if (found.size() > options.top)
      fmt::print("{} more: --top {}\n", found.size() - options.top, found.size());
    if (found.empty())
      fmt::print("nothing found; looked for: {}\n", checkedText(options));
    printOrder(model, found);
    if (known != 0)
      fmt::print("{} known from {} left out\n", known, options.baseline);
  }
  const bool fails = std::ranges::any_of(found, [&](const Finding &finding) {
    return std::ranges::any_of(options.failOn, [&](const FailOn &on) { return on.isFor(finding); });
  });
  return fails ? kExitFound : kExitGood;
}

} // namespace

Verb addFindings(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("findings", "Say what is wrong and what costs most, with its line, its cause and "
                                     "what to do: accesses that depend on an order "
                                     "nobody promises, then scattered, strided and misaligned accesses, "
                                     "contended atomics, bank conflicts, data that nothing reads, copies "
                                     "and launches that could be fewer or faster.");
  auto options = std::make_shared<FindingsOptions>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("--top", options->top, "How many to print")->capture_default_str();
  command->add_flag("--json", options->json, "All of them, as docs/result-formats.md says");
  command->add_flag(
      "--accesses", options->accessesOnly,
      "Only what single accesses waste: memory is not followed, which takes a fraction of the time");
  command
      ->add_option_function<std::vector<std::string>>(
          "--fail-on",
          [options](const std::vector<std::string> &texts) {
            for (const std::string &text : texts) {
              const std::size_t equals = text.find('=');
              options->failOn.push_back(
                  {text.substr(0, equals), equals == text.npos ? 0 : std::stod(text.substr(equals + 1))});
            }
          },
          "Exit with 4 if something is found of this rule, this severity (correctness, cost, coverage) or "
          "'any'; 'cost=5': from a share "
          "of 5 % on. May be given several times")
      ->check([](const std::string &text) {
        const std::size_t equals = text.find('=');
        const std::string what = text.substr(0, equals);
        if (!FailOn::isKnown(what))
          return "'" + what + "' is no rule, no severity and not 'any'";
        static const std::regex number("[0-9]+(\\.[0-9]+)?");
        return equals == text.npos || std::regex_match(text.substr(equals + 1), number)
                   ? std::string()
                   : "'" + text + "': what follows '=' must be a number of percent";
      });
  command->add_option("--baseline", options->baseline,
                      "Leave out what this file knows, which 'findings --json' wrote, unless it has grown by "
                      "more than a twentieth");
  addLaunchSelection(*command, options->part.launches, "Implies --accesses. ");
  addBlockSelection(*command, options->part.records)
      ->description("Implies --accesses. Only this block of each launch: x,y,z, or its linear number");
  command->add_option("--file", options->file,
                      "Only findings in this source file: its path, or the end of it");
  addAnalysisOptions(*command, options->analysis);
  return [options] {
    options->accessesOnly = options->accessesOnly || !options->part.isAll();
    return runFindings(*options);
  };
}

} // namespace cupr::analysis

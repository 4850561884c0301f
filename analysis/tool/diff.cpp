/// `diff`: what has changed from one trace to another; with --accesses, whether they hold the same accesses.
#include "shared_options.h"
#include "verb.h"

#include "analysis/metrics/access_difference.h"
#include "analysis/metrics/difference.h"
#include "analysis/output/text.h"
#include "analysis/render/access_difference.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

std::string nameOf(const Difference &difference) {
  if (!difference.kernel.empty())
    return difference.kernel;
  if (difference.file.empty())
    return "program";
  const bool isMoved =
      difference.line != difference.lineBefore && difference.line != 0 && difference.lineBefore != 0;
  return fmt::format("{}:{}{}", difference.file,
                     difference.line != 0 ? difference.line : difference.lineBefore,
                     isMoved ? fmt::format(", was {}", difference.lineBefore) : "");
}

struct Options {
  std::string before, after;
  std::size_t top = 40;
  bool accesses = false, json = false;
  AnalysisOptions analysis;
};

int diffAccesses(const Model &before, const Model &after, const Options &options) {
  const AccessDifference found = accessDifference(before, after,
                                                  {.threads = options.analysis.threads,
                                                   .launches = options.top,
                                                   .examples = options.top,
                                                   .quiet = options.analysis.quiet});
  if (options.json)
    fmt::print("{}\n", accessDifferenceJson(found));
  else
    fmt::print("{}", accessDifferenceText(found));
  return found.isSame() ? kExitGood : kExitDifferent;
}

} // namespace

Verb addDiff(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "diff",
      "Show which figures differ between two traces: of the program, of kernels by name, and of source "
      "lines. With --accesses: whether each thread of each launch made the same accesses in both.");
  auto options = std::make_shared<Options>();
  command->add_option("before", options->before, "Trace file")->required();
  command->add_option("after", options->after, "Trace file")->required();
  auto *accesses =
      command->add_flag("--accesses", options->accesses,
                        "Compare accesses, not figures: operation, bytes, CTA, thread, allocation and "
                        "offset, launch by launch. "
                        "Exit code 3: they differ. Local memory is left out; --memory has no effect");
  command->add_flag("--json", options->json, "With --accesses: the result as JSON")->needs(accesses);
  command
      ->add_option("--top", options->top,
                   "How many figures to print; with --accesses: launches that differ, and examples of each")
      ->capture_default_str();
  addAnalysisOptions(*command, options->analysis);
  return [options] {
    const LaunchParts parts = options->accesses ? LaunchParts::Whole : LaunchParts::Phases;
    const Model before(options->before, parts), after(options->after, parts);
    warnIfTruncated(before);
    warnIfTruncated(after);
    if (options->accesses)
      return diffAccesses(before, after, *options);
    const std::vector<Difference> found =
        differences(before, volumesOf(before, communication(before, options->analysis)), after,
                    volumesOf(after, communication(after, options->analysis)));
    using enum Table::Align;
    Table table({Left, Left, Right, Right, Right});
    table.row({"", "", "before", "after", "change"});
    for (std::size_t i = 0; i < std::min(options->top, found.size()); ++i) {
      const Difference &d = found[i];
      table.row(
          {nameOf(d), d.what, grouped(d.before), grouped(d.after),
           d.before == 0
               ? "new"
               : fmt::format("{:+.1f} %",
                             100 * (static_cast<double>(d.after) / static_cast<double>(d.before) - 1))});
    }
    fmt::print("{}", found.empty() ? "the figures are the same\n" : table.text());
    if (found.size() > options->top)
      fmt::print("and {} more\n", found.size() - options->top);
    return static_cast<int>(kExitGood);
  };
}

} // namespace cupr::analysis

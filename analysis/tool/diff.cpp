/// `diff`: what has changed from one trace to another; with --accesses, whether they hold the same accesses.
#include "shared_options.h"
#include "verb.h"

#include "analysis/metrics/access_difference.h"
#include "analysis/metrics/difference.h"
#include "analysis/render/access_difference.h"
#include "analysis/render/difference.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

struct DiffOptions {
  std::string before, after;
  std::size_t top = 40;
  bool accesses = false, json = false;
  AnalysisOptions analysis;
  PartSelection selection;
};

int diffAccesses(const Model &before, const Model &after, const DiffOptions &options) {
  const AccessDifference found = accessDifference(before, after,
                                                  {.threads = options.analysis.threads,
                                                   .launches = options.top,
                                                   .examples = options.top,
                                                   .quiet = options.analysis.quiet,
                                                   .selected = options.selection.launches,
                                                   .records = options.selection.records});
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
  auto options = std::make_shared<DiffOptions>();
  command->add_option("before", options->before, "Trace file")->required();
  command->add_option("after", options->after, "Trace file")->required();
  auto *accesses =
      command->add_flag("--accesses", options->accesses,
                        "Compare accesses, not figures: operation, bytes, CTA, thread, allocation and "
                        "offset, launch by launch. "
                        "Exit code 3: they differ. Local memory is left out; --memory has no effect");
  command->add_flag("--json", options->json, "Print JSON, as docs/analysis.md says: all figures that differ");
  addPartSelection(*command, options->selection, "In both traces. ");
  command->get_option("--file")->description(
      "Only lines of this source file, with --accesses accesses at places in it: "
      "its path in the trace after, or the end of it");
  addBlockSelection(*command, options->selection.records)->needs(accesses);
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
    const std::string &file = options->selection.records.file;
    const PartSelection launches = options->selection.ofAllFiles();
    ShownPart shownBefore(before, launches), shownAfter(after, launches);
    std::vector<Difference> found = differences(
        before, volumesOf(before, communication(before, options->analysis), std::move(shownBefore)), after,
        volumesOf(after, communication(after, options->analysis), std::move(shownAfter)));
    if (!file.empty())
      std::erase_if(found, [&](const Difference &difference) { return !isEndOfPath(difference.file, file); });
    if (options->json) {
      fmt::print("{}\n", differencesJson(found));
      return static_cast<int>(kExitGood);
    }
    if (!launches.isAll())
      fmt::print("Of {}; memory was followed for all launches.\n", launches.launches.text());
    fmt::print("{}", differencesText(found, options->top));
    return static_cast<int>(kExitGood);
  };
}

} // namespace cupr::analysis

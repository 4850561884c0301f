/// `report`: one HTML page.
#include "advisor_options.h"
#include "roofline_options.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/output/progress.h"
#include "analysis/output/utf8.h"
#include "analysis/render/checked_trace.h"
#include "analysis/render/report.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

struct ReportOptions {
  std::vector<std::string> paths;
  std::string output, before;
  AnalysisOptions analysis;
  AdvisorChoices advisor;
  RooflineChoices roofline;
  PartSelection selection;
  bool checks = false;
};

/// What the check finds in a trace. It follows whole launches, so it opens the trace by itself.
class PageCheck {
public:
  PageCheck(const std::string &path, const ReportOptions &options)
      : progress_("check", stderr, ::isatty(STDERR_FILENO) != 0), model_(path, LaunchParts::Whole),
        found_(model_, options.selection,
               {.threads = options.analysis.threads,
                .memory = options.analysis.memory,
                .progress = options.analysis.quiet ? nullptr : &progress_}) {}
  const CheckedTrace &found() const { return found_; }

private:
  Progress progress_;
  const Model model_;
  const CheckedTrace found_;
};

/// If it is asked for.
std::unique_ptr<const PageCheck> checkOf(const std::string &path, const ReportOptions &options) {
  return options.checks ? std::make_unique<const PageCheck>(path, options) : nullptr;
}

/// All that the page has of one trace, but for what was checked, which may be null.
Results resultsFor(const Model &model, ShownPart part, const ReportOptions &options,
                   const CheckedTrace *check) {
  Results results = resultsOf(model, communication(model, options.analysis), std::move(part));
  results.advisor = adviseIfAsked(model, results.communication, options.advisor, options.analysis);
  addProfileTo(model, results);
  if (!options.roofline.ceilings.empty()) {
    RooflineChoices roofline = options.roofline;
    roofline.launches = options.selection.launches;
    if (recordsInstructions(model))
      results.roofline = rooflineOf(model, roofline, options.analysis.quiet);
    else
      fmt::print(stderr, "cupranalyze: warning: no roofline in the page: {}", kNoInstructions);
  }
  if (check)
    addTexts(model, check->files(), results.sources);
  return results;
}

void reportOne(const ReportOptions &options, ByteSink &sink) {
  const Model model(options.paths[0], LaunchParts::Phases);
  warnIfTruncated(model);
  ShownPart part(model, options.selection), partBefore;
  std::optional<Model> modelBefore;
  if (!options.before.empty()) {
    warnIfTruncated(modelBefore.emplace(options.before, LaunchParts::Phases));
    partBefore = ShownPart(*modelBefore, options.selection);
  }
  const std::unique_ptr<const PageCheck> check = checkOf(options.paths[0], options);
  const CheckedTrace *const found = check ? &check->found() : nullptr;
  const Results results = resultsFor(model, std::move(part), options, found);
  std::optional<Results> resultsBefore;
  std::optional<EarlierTrace> earlier;
  if (modelBefore)
    earlier.emplace(*modelBefore,
                    resultsBefore.emplace(costsOf(*modelBefore, communication(*modelBefore, options.analysis),
                                                  std::move(partBefore))));
  writeReport(model, results, sink, {.earlier = earlier ? &*earlier : nullptr, .check = found});
}

/// One is in memory at a time. What is wrong with a name, or a filter, is said before the work.
void reportSeveral(const ReportOptions &options, ByteSink &sink) {
  for (const std::string &path : options.paths) {
    const Model model(path, LaunchParts::Phases);
    warnIfTruncated(model);
    ShownPart(model, options.selection);
  }
  SeveralTracesPage page(sink);
  for (const std::string &path : options.paths) {
    const Model model(path, LaunchParts::Phases);
    const std::unique_ptr<const PageCheck> check = checkOf(path, options);
    const CheckedTrace *const found = check ? &check->found() : nullptr;
    page.add(model, resultsFor(model, ShownPart(model, options.selection), options, found), found);
  }
  page.finish();
}

} // namespace

Verb addReport(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "report",
      "Write one self-contained HTML page for a browser: where the time went, volumes, communication between "
      "CTAs, kernels and supersteps, findings, and every source line with its costs. With --ceilings, the "
      "roofline of the kernels. With --check, the faults that check finds, each with its two lines side by "
      "side. With --before, what has changed stands on top.");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option(
          "trace", options->paths,
          "Trace file; of several, as ranks of an MPI program write them, the page has a line for each "
          "and their sums, and opens each by itself")
      ->required();
  command->add_option("-o,--output", options->output, "HTML file to write")->required();
  auto *const before =
      command->add_option("--before", options->before,
                          "Trace file of the program before a change, to compare with; of one trace");
  command->add_flag(
      "--check", options->checks,
      "Look for faults, as check does, and show them: races, memory that is read and was never written, "
      "addresses out of bounds and so on. The trace is read once more for it");
  addAdviseOptions(*command, options->advisor);
  addRooflineOptions(*command, options->roofline);
  command->get_option("--times")->needs("--ceilings");
  addPartSelection(*command, options->selection,
                   "Memory is followed for all launches; the page shows a part. ");
  refuseSelection(*command, "the page has sums over blocks: results --block has what one block did");
  addAnalysisOptions(*command, options->analysis);
  command->callback([=] {
    if (options->paths.size() > 1 && before->count() != 0)
      throw CLI::ValidationError("--before",
                                 "one trace is compared with an earlier one, and here are several");
  });
  return [options] {
    PendingFile file(options->output); // the place is tried before the work
    const auto sink = fileSink(file);
    if (options->paths.size() == 1)
      reportOne(*options, *sink);
    else
      reportSeveral(*options, *sink);
    sink->finish();
    file.commit();
    fmt::print("{}\n", shown(options->output));
    return kExitGood;
  };
}

} // namespace cupr::analysis

/// `report`: one HTML page.
#include "advisor_options.h"
#include "roofline_options.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/output/utf8.h"
#include "analysis/render/report.h"

#include <fmt/format.h>
#include <optional>

namespace cupr::analysis {

Verb addReport(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "report",
      "Write one self-contained HTML page for a browser: where the time went, volumes, communication between "
      "CTAs, kernels and supersteps, findings, and every source line with its costs. With --ceilings, the "
      "roofline of the kernels. With --before, what has "
      "changed stands on "
      "top.");
  struct Options {
    std::string path, output, before;
    AnalysisOptions analysis;
    AdvisorChoices advisor;
    RooflineChoices roofline;
    PartSelection selection;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("-o,--output", options->output, "HTML file to write")->required();
  command->add_option("--before", options->before,
                      "Trace file of the program before a change, to compare with");
  addAdviseOptions(*command, options->advisor);
  addRooflineOptions(*command, options->roofline);
  command->get_option("--times")->needs("--ceilings");
  addPartSelection(*command, options->selection,
                   "Memory is followed for all launches; the page shows a part. ");
  refuseSelection(*command, "the page has sums over blocks: results --block has what one block did");
  addAnalysisOptions(*command, options->analysis);
  return [options] {
    const Model model(options->path, LaunchParts::Phases);
    warnIfTruncated(model);
    ShownPart part(model, options->selection), partBefore;
    std::optional<Model> modelBefore;
    if (!options->before.empty()) {
      warnIfTruncated(modelBefore.emplace(options->before, LaunchParts::Phases));
      partBefore = ShownPart(*modelBefore, options->selection);
    }
    Results results = resultsOf(model, communication(model, options->analysis), std::move(part));
    results.advisor = adviseIfAsked(model, results.communication, options->advisor, options->analysis);
    addProfileTo(model, results);
    if (!options->roofline.ceilings.empty()) {
      if (recordsInstructions(model)) {
        options->roofline.launches = options->selection.launches;
        results.roofline = rooflineOf(model, options->roofline, options->analysis.quiet);
      } else
        fmt::print(stderr, "cupranalyze: warning: no roofline in the page: {}", kNoInstructions);
    }
    std::optional<Results> resultsBefore;
    std::optional<EarlierTrace> earlier;
    if (modelBefore)
      earlier.emplace(*modelBefore, resultsBefore.emplace(
                                        costsOf(*modelBefore, communication(*modelBefore, options->analysis),
                                                std::move(partBefore))));
    PendingFile file(options->output);
    const auto sink = fileSink(file);
    writeReport(model, results, *sink, earlier ? &*earlier : nullptr);
    sink->finish();
    file.commit();
    fmt::print("{}\n", shown(options->output));
    return kExitGood;
  };
}

} // namespace cupr::analysis

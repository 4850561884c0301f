/// `report`: one HTML page.
#include "advisor_options.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/output/utf8.h"
#include "analysis/render/report.h"

#include <fmt/format.h>

namespace cupr::analysis {

Verb addReport(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "report",
      "Write one self-contained HTML page for a browser: volumes, communication between CTAs, kernels and "
      "supersteps, findings, and every source line with its costs.");
  struct Options {
    std::string path, output;
    AnalysisOptions analysis;
    AdvisorChoices advisor;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("-o,--output", options->output, "HTML file to write")->required();
  addAdviseOptions(*command, options->advisor);
  addAnalysisOptions(*command, options->analysis);
  return [options] {
    const Model model(options->path, LaunchParts::Phases);
    warnIfTruncated(model);
    Results results = resultsOf(model, options->analysis);
    results.advisor = adviseIfAsked(model, results.communication, options->advisor, options->analysis);
    PendingFile file(options->output);
    const auto sink = fileSink(file);
    writeReport(model, results, *sink);
    sink->finish();
    file.commit();
    fmt::print("{}\n", shown(options->output));
    return kExitGood;
  };
}

} // namespace cupr::analysis

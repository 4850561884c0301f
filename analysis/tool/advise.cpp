/// `advise`: what would cross if several GPUs shared the work, and how to cut it.
#include "advisor_options.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/render/results/advice.h"
#include "analysis/render/results_json.h"

#include <fmt/format.h>

namespace cupr::analysis {

Verb addAdvise(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "advise",
      "For several GPUs that share the CTAs of each launch: bytes that would cross between them, balance and "
      "time on the link, for cuts of the grids in x, y, z, in blocks, cyclic, and by a partition of the "
      "graph "
      "of CTAs; and the best of them. docs/analysis.md has the formulas.");
  struct Options {
    std::string path;
    bool json = false;
    AnalysisOptions analysis;
    AdvisorChoices advisor;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  refuseSelection(
      *command,
      "what would cross is known of the whole program only: a launch that is left out may hold the data");
  addAdvisorOptions(*command, options->advisor);
  command->add_flag("--json", options->json,
                    "Print JSON: the member `advisor` of what comm --json --advise prints");
  addAnalysisOptions(*command, options->analysis);
  return [options] {
    const Model model(options->path, LaunchParts::Phases);
    warnIfTruncated(model);
    Results results;
    results.communication = communication(model, options->analysis);
    results.advisor =
        advise(model, results.communication, options->advisor.optionsFor(model), options->analysis);
    if (options->json)
      advisorJson(model, results, [](std::string_view text) { fmt::print("{}", text); });
    else if (results.advisor)
      fmt::print("{}", adviceText(*results.advisor));
    else
      fmt::print("no launch has several CTAs that access memory: there is nothing to share\n");
    return kExitGood;
  };
}

} // namespace cupr::analysis

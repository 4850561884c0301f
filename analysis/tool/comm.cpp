/// `comm`: who communicates with whom.
#include "advisor_options.h"
#include "analysis_options.h"
#include "verb.h"

#include "analysis/render/communication.h"
#include "analysis/render/results_json.h"

#include <fmt/format.h>

namespace cupr::analysis {

Verb addComm(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "comm",
      "Show communication through global memory: bytes that one launch (or the host) wrote and a later one "
      "read, by pairs of launches and of CTAs. Reads of a launch see memory as it was before the launch.");
  struct Options {
    std::string path;
    bool json = false, noTransfers = false, advise = false;
    std::size_t top = 20;
    AnalysisOptions analysis;
    AdvisorOptions advisor;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  CLI::Option *const json =
      command->add_flag("--json", options->json, "Print JSON, with every transfer between CTAs");
  command->add_option("--top", options->top, "How many of the largest transfers between CTAs to print")
      ->capture_default_str();
  command
      ->add_flag("--no-transfers", options->noTransfers,
                 "With --json: leave out the transfers between CTAs, which may be millions")
      ->needs(json);
  CLI::Option *const advises = command
                                   ->add_flag("--advise", options->advise,
                                              "With --json: what several GPUs would exchange, as `advise`")
                                   ->needs(json);
  for (CLI::Option *option : addAdvisorOptions(*command, options->advisor))
    option->needs(advises);
  addAnalysisOptions(*command, options->analysis);
  return [options] {
    const Model model(options->path);
    warnIfTruncated(model);
    if (options->json) {
      Results results = resultsOf(model, options->analysis);
      if (options->advise)
        results.advisor = advise(model, results.communication, options->advisor);
      resultsJson(model, results, options->noTransfers ? TransferList::LeftOut : TransferList::Complete,
                  [](std::string_view text) { fmt::print("{}", text); });
    } else {
      fmt::print("{}", communicationText(model, communication(model, options->analysis), options->top));
    }
    return kExitGood;
  };
}

} // namespace cupr::analysis

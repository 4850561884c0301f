/// `findings`: what costs most, and what to do about it.
#include "shared_options.h"
#include "verb.h"

#include "analysis/metrics/results.h"
#include "analysis/output/text.h"

#include <fmt/format.h>

namespace cupr::analysis {

Verb addFindings(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "findings",
      "Say what costs most, dearest first: scattered accesses, contended atomics, data that nothing reads, "
      "accesses without an order; each with its line and advice.");
  struct Options {
    std::string path;
    std::size_t top = 20;
    AnalysisOptions analysis;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("--top", options->top, "How many to print")->capture_default_str();
  addAnalysisOptions(*command, options->analysis);
  return [options] {
    const Model model(options->path, LaunchParts::Phases);
    warnIfTruncated(model);
    const Results results = resultsOf(model, options->analysis);
    std::size_t left = options->top;
    for (const Finding &finding : results.findings) {
      if (left-- == 0)
        break;
      std::string place = finding.file.empty() ? "" : finding.file;
      if (finding.line != 0)
        place += fmt::format(":{}", finding.line);
      if (finding.column != 0)
        place += fmt::format(":{}", finding.column);
      if (*finding.operation != '\0')
        place += fmt::format(" ({})", finding.operation);
      if (!finding.kernel.empty())
        place += (place.empty() ? "" : "  ") + finding.kernel;
      fmt::print("{}: {}\n  {}{}{} {}, {:.1f} % of the program's\n  {}\n\n", finding.id, shown(finding.title),
                 shown(place), place.empty() ? "" : "\n  ", grouped(finding.amount), finding.unit,
                 100 * finding.share, finding.advice);
    }
    if (results.findings.empty())
      fmt::print("nothing found\n");
    return kExitGood;
  };
}

} // namespace cupr::analysis

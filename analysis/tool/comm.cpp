/// `comm`: who communicates with whom.
#include "verb.h"

#include "analysis/render/communication.h"

#include <fmt/format.h>

namespace cupr::analysis {

Verb addComm(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "comm",
      "Show communication through global memory: bytes that one launch (or the host) wrote and a later one "
      "read, by pairs of launches and of CTAs. Reads of a launch see memory as it was before the launch.");
  struct Options {
    std::string path;
    bool json = false;
    std::size_t top = 20;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_flag("--json", options->json, "Print JSON, with every transfer between CTAs");
  command->add_option("--top", options->top, "How many of the largest transfers between CTAs to print")
      ->capture_default_str();
  return [options] {
    const Model model(options->path);
    warnIfTruncated(model);
    const Communication result = communication(model);
    fmt::print("{}", options->json ? communicationJson(model, result)
                                   : communicationText(model, result, options->top));
    return kExitGood;
  };
}

} // namespace cupr::analysis

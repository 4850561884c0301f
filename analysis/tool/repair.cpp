/// `repair`: a valid trace of a damaged one.
#include "shared_options.h"
#include "verb.h"

#include "analysis/model/model.h"
#include "analysis/output/pending_file.h"
#include "analysis/output/text.h"
#include "hostlib/trace/repair.h"

#include <fmt/format.h>
#include <stdexcept>

namespace cupr::analysis {

Verb addRepair(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "repair",
      "Make a valid trace of a truncated or damaged one: every message that is whole is kept, and the new "
      "trace says what is missing, so 'verify' still finds it incomplete. Says what was missing on stderr. "
      "Exit "
      "code 0 if there is a new file, 2 if nothing of the old one is whole.");
  struct Options {
    std::string path, output;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("-o,--output", options->output, "Trace file to write")->required();
  refuseSelection(*command, "a trace is repaired as a whole: export takes filters");
  return [options] {
    std::string error;
    const auto reader = trace::Reader::open(options->path, error);
    if (!reader)
      throw BadTrace(error);
    PendingFile file(options->output);
    trace::WorkLimit limit(options->path, reader->fileBytes());
    const trace::Repaired result = trace::repair(*reader, file.path(), &limit);
    if (!result.writeError.empty())
      throw std::runtime_error(result.writeError);
    if (!result.badTrace.empty())
      throw BadTrace(result.badTrace);
    file.commit();
    for (const std::string &line : result.missing)
      fmt::print(stderr, "cupranalyze: {}: missing: {}\n", shown(options->path), shown(line));
    fmt::print("{}: {} messages, {} launches ({} of them lack records), {} records{}\n",
               shown(options->output), grouped(result.messages), grouped(result.launches),
               grouped(result.incomplete), grouped(result.records),
               result.missing.empty() ? "; nothing was missing" : "");
    return kExitGood;
  };
}

} // namespace cupr::analysis

/// Options that several verbs have.
#ifndef CUPR_ANALYSIS_SHARED_OPTIONS_H
#define CUPR_ANALYSIS_SHARED_OPTIONS_H

#include "verb.h"

#include "analysis/engine/communication.h"
#include "analysis/export/exporter.h"
#include "analysis/metrics/shown_part.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace cupr::analysis {

/// An option whose value is one of `choices`, which outlive the command. (CLI11's transformers would take
/// and show the enumerators' numbers, too.)
template <typename T>
CLI::Option *addChoice(CLI::App &command, const std::string &name, T &value,
                       const std::map<std::string, T> &choices, const std::string &what) {
  return command
      .add_option_function<std::string>(
          name, [&value, &choices](const std::string &text) { value = choices.at(text); }, what)
      ->check(CLI::IsMember(choices));
}

/// Of verbs that go through the whole trace: --device-copies, --threads, --memory and --quiet, which fill in `options`.
/// Sizes are written as people write them: 512M, 2GiB.
void addAnalysisOptions(CLI::App &command, AnalysisOptions &options);

/// Of verbs with --json: the trace, and --schema=json, which prints what `schema` gives and needs no trace. Gives what runs that, or `verb`.
Verb withSchema(CLI::App &command, std::string &path, std::string (*schema)(), Verb verb);

/// --kernel, --kernel-name, --launch, --launch-skip and --launch-count, which fill in `selection`. `what`: to be said of each, in front. Gives them.
std::vector<CLI::Option *> addLaunchSelection(CLI::App &command, LaunchSelection &selection,
                                              const std::string &what = "");

/// --block.
CLI::Option *addBlockSelection(CLI::App &command, RecordSelection &selection);

/// --block and --file. Gives them.
std::vector<CLI::Option *> addRecordSelection(CLI::App &command, RecordSelection &selection);

/// Of verbs that show a part of what they find: --kernel and so on, and --file. `what`: as above.
void addPartSelection(CLI::App &command, PartSelection &selection, const std::string &what = "");

/// Of verbs that can't choose: each of the options that choose is refused with `why`, rather than as a word that nobody knows. Those that the
/// command has are left alone.
void refuseSelection(CLI::App &command, const std::string &why);

/// Of verbs that choose launches and records: all of these, and --limit.
void addSelection(CLI::App &command, Selection &selection);

} // namespace cupr::analysis

#endif

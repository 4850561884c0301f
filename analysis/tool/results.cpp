/// `results`: what the analysis finds, for other programs.
#include "advisor_options.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/export/result_exports.h"
#include "analysis/render/results_json.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <vector>

namespace cupr::analysis {

namespace {

enum class ResultsFormat { Sqlite, Csv, Perfetto, Speedscope };
const std::map<std::string, ResultsFormat> kResultsFormats = {{"sqlite", ResultsFormat::Sqlite},
                                                              {"csv", ResultsFormat::Csv},
                                                              {"perfetto", ResultsFormat::Perfetto},
                                                              {"speedscope", ResultsFormat::Speedscope}};
const std::map<std::string, std::string (*)()> kResultsSchemas = {{"sqlite", resultSqlSchema},
                                                                  {"markdown", resultMarkdown},
                                                                  {"json", resultsJsonSchema},
                                                                  {"traces", tracesJsonSchema}};

/// For what takes part in communication; the rest goes to disk.
constexpr std::uint64_t kAccessMemory = std::uint64_t{48} << 20;

struct ResultsOptions {
  std::string path, output, schema;
  ResultsFormat format = ResultsFormat::Sqlite;
  std::vector<std::string> history;
  bool communicated = false, threadStrides = false, parts = false;
  AnalysisOptions analysis;
  AdvisorChoices advisor;
  PartSelection selection;
};

int runResults(const ResultsOptions &options) {
  if (!options.schema.empty()) {
    std::fputs(kResultsSchemas.at(options.schema)().c_str(), stdout);
    return kExitGood;
  }
  const Model model(options.path, LaunchParts::Phases);
  warnIfTruncated(model);
  ShownPart shown(model, options.selection);
  std::vector<Range> ranges;
  for (const std::string &text : options.history)
    ranges.push_back(addressesOf(model, text));
  // The place is tried before the work.
  std::optional<PendingFile> file;
  if (options.format != ResultsFormat::Csv)
    file.emplace(options.output);
  std::unique_ptr<ByteSink> sink;
  if (options.format == ResultsFormat::Perfetto || options.format == ResultsFormat::Speedscope)
    sink = fileSink(*file);
  AnalysisOptions analysis = options.analysis;
  std::optional<CommunicatedAccesses> accesses;
  analysis.ctaStrides = options.format == ResultsFormat::Sqlite || options.format == ResultsFormat::Csv;
  if (options.communicated)
    analysis.accesses = &accesses.emplace(ranges, kAccessMemory);
  Results results = resultsOf(model, communication(model, analysis), std::move(shown));
  results.advisor = adviseIfAsked(model, results.communication, options.advisor, options.analysis);
  if (!model.host().calls.empty() || !model.host().samples.empty())
    addProfileTo(model, results);
  std::unique_ptr<SortedSum<HistoryEntry>> history;
  const Ordering &ordering = *results.communication.ordering;
  if (accesses)
    history = communicatedHistory(model, ordering, ranges, *accesses);
  else if (!ranges.empty())
    history = addressHistory(model, ordering, ranges);
  std::unique_ptr<SortedSum<ThreadStride>> strides;
  if (options.threadStrides)
    strides = threadStrides(model, results.shown);
  const ResultSource source{model, results, history.get(), strides.get(), options.parts};
  switch (options.format) {
  case ResultsFormat::Sqlite:
    resultsToSqlite(source, *file);
    break;
  case ResultsFormat::Csv:
    resultsToCsv(source, options.output);
    break;
  case ResultsFormat::Perfetto:
    resultsToPerfetto(source, *sink);
    break;
  case ResultsFormat::Speedscope:
    resultsToSpeedscope(source, *sink);
    break;
  }
  if (file)
    file->commit();
  return kExitGood;
}

} // namespace

Verb addResults(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "results",
      "Write what comm, findings and, if asked to, advise say for other programs. sqlite: a database. csv: a "
      "folder with a "
      "file per table. perfetto: a timeline of launches, with counters and arrows where data goes. "
      "speedscope: "
      "bytes by call path and source line. docs/result-formats.md describes them. Files appear when they are "
      "complete.");
  auto options = std::make_shared<ResultsOptions>();
  command->add_option("trace", options->path, "Trace file");
  auto *format = addChoice(*command, "--format", options->format, kResultsFormats, "What to write");
  command->add_option("-o,--output", options->output, "File to write; for csv, the folder");
  auto *history = command
                      ->add_option("--history", options->history,
                                   "For sqlite and csv: all accesses to these addresses, by superstep: a3 "
                                   "(allocation 3 of info), a3+0x400, "
                                   "a3+0x400:64 (64 bytes), all; may be given several times")
                      ->allow_extra_args(false); // the trace may stand behind it
  command
      ->add_flag("--communicated", options->communicated,
                 "With --history: only accesses by which these bytes are communicated: reads of what an "
                 "earlier launch wrote, and writes of what a later one reads")
      ->needs(history);
  auto *strides =
      command->add_flag("--thread-strides", options->threadStrides,
                        "For sqlite and csv: how far the accesses of a thread at one place of the source lie "
                        "from each other, over time");
  auto *parts =
      command->add_flag("--parts", options->parts,
                        "For sqlite and csv: the GPU of each CTA, by the partition of the graph of CTAs");
  auto *schema = command->add_option("--schema", options->schema, "Print the schema, and nothing else")
                     ->check(CLI::IsMember(kResultsSchemas));
  std::vector<CLI::Option *> chosen =
      addLaunchSelection(*command, options->selection.launches,
                         "Memory is followed for all launches; rows of a part (docs/result-formats.md). ");
  std::ranges::move(addRecordSelection(*command, options->selection.records), std::back_inserter(chosen));
  addAdviseOptions(*command, options->advisor);
  addAnalysisOptions(*command, options->analysis);
  command->callback([=] {
    if (schema->count() != 0)
      return;
    if (options->path.empty())
      throw CLI::RequiredError("trace");
    if (format->count() == 0)
      throw CLI::RequiredError("--format");
    if (options->output.empty())
      throw CLI::RequiredError("--output");
    for (const CLI::Option *table : {history, strides, static_cast<CLI::Option *>(parts)})
      if (table->count() != 0 && options->format != ResultsFormat::Sqlite &&
          options->format != ResultsFormat::Csv)
        throw CLI::ValidationError(table->get_name(), "only sqlite and csv have a table for it");
    if (options->format == ResultsFormat::Speedscope)
      for (const CLI::Option *option : chosen)
        if (option->count() != 0)
          throw CLI::ValidationError(option->get_name(),
                                     "speedscope has the bytes of all launches by place: profile "
                                     "--speedscope has those of some launches");
  });
  return [options] { return runResults(*options); };
}

} // namespace cupr::analysis

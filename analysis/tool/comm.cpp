/// `comm`: who communicates with whom. Of one trace, or of several; by one process, or by several.
#include "advisor_options.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/engine/peer_failure.h"
#include "analysis/render/communication.h"
#include "analysis/render/results_json.h"
#include "analysis/render/several_traces.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace cupr::analysis {

namespace {

struct CommOptions {
  std::vector<std::string> paths;
  bool json = false, noTransfers = false, advise = false, mpi = false;
  std::size_t top = 20;
  AnalysisOptions analysis;
  AdvisorChoices advisor;
  PartSelection selection;

  TransferList transfers() const { return noTransfers ? TransferList::LeftOut : TransferList::Complete; }
  /// What grows with the number of CTAs is asked for together.
  bool listsCtas() const { return json && !noTransfers; }
};

void toStandardOutput(std::string_view text) { fmt::print("{}", text); }

/// Becomes cupranalyze-mpi, which stands beside this program. Returns if that can't be.
void becomeMpi(char **arguments) {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cupranalyze-mpi";
  ::execv(program.c_str(), arguments);
  fmt::print(stderr, "cupranalyze: --mpi: can't run {}: {}\n", program.string(), std::strerror(errno));
}

/// Of several traces, a wrong name is said before anything is printed.
void lookAtAll(const std::vector<std::string> &paths) {
  std::string error;
  for (const std::string &path : paths)
    if (!trace::Reader::open(path, error))
      throw BadTrace(error);
}

/// All peers open it, or none.
Model open(const std::string &path, Peers &peers) {
  std::optional<Model> model;
  agree(peers, failureOf([&] { model.emplace(path, LaunchParts::Phases); }));
  return std::move(*model);
}

Results resultsWithAdvice(const Model &model, Communication communication, const CommOptions &options,
                          ShownPart shown) {
  Results results = resultsOf(model, std::move(communication), std::move(shown));
  if (options.advise)
    results.advisor =
        advise(model, results.communication, options.advisor.optionsFor(model), options.analysis);
  return results;
}

void showOne(const Model &model, ShownPart shown, Communication communication, const CommOptions &options) {
  if (options.json)
    resultsJson(model, resultsWithAdvice(model, std::move(communication), options, std::move(shown)),
                options.transfers(), toStandardOutput);
  else
    toStandardOutput(communicationText(model, communication, options.top, shown));
}

int show(const CommOptions &options, Peers &peers) {
  agree(peers, failureOf([&] {
          if (options.paths.size() > 1 && !options.json && !options.selection.isAll())
            throw std::invalid_argument("launches are chosen of one trace, or with --json, and here are "
                                        "several: their sums are of whole programs");
          lookAtAll(options.paths);
        }));
  SeveralTracesText text;
  SeveralTracesJson json(toStandardOutput);
  AnalysisOptions analysis = options.analysis;
  analysis.peers = &peers;
  analysis.ctaStrides = options.listsCtas();
  for (const std::string &path : options.paths) {
    const Model model = open(path, peers);
    ShownPart shown;
    agree(peers, failureOf([&] { shown = ShownPart(model, options.selection); }));
    Communication communication = analysis::communication(model, analysis);
    if (!peers.isFirst())
      continue;
    warnIfTruncated(model);
    if (options.paths.size() == 1)
      showOne(model, std::move(shown), std::move(communication), options);
    else if (options.json)
      json.add(model, resultsWithAdvice(model, std::move(communication), options, std::move(shown)),
               options.transfers());
    else
      text.add(model, communication);
  }
  if (options.paths.size() > 1 && peers.isFirst()) {
    if (options.json)
      json.finish();
    else
      toStandardOutput(text.text());
  }
  return kExitGood;
}

} // namespace

Verb addComm(CLI::App &app, const Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "comm",
      "Show communication through global memory: bytes that one launch (or the host) wrote and a later one "
      "read, by pairs of launches and of CTAs. Reads of a launch see memory as it was before the launch.");
  auto options = std::make_shared<CommOptions>();
  command
      ->add_option("trace", options->paths,
                   "Trace file; of several, as ranks of an MPI program write them, each is shown with its "
                   "sums, and the sums of all")
      ->required();
  CLI::Option *const json = command->add_flag(
      "--json", options->json, "Print JSON, with every transfer between CTAs and the strides of each CTA");
  command
      ->add_option("--top", options->top,
                   "How many of the largest transfers between CTAs to print, of one trace")
      ->capture_default_str();
  command
      ->add_flag(
          "--no-transfers", options->noTransfers,
          "With --json: leave out the transfers between CTAs and the strides of each, which may be millions")
      ->needs(json);
  CLI::Option *const advises = command
                                   ->add_flag("--advise", options->advise,
                                              "With --json: what several GPUs would exchange, as `advise`")
                                   ->needs(json);
  for (CLI::Option *option : addAdvisorOptions(*command, options->advisor))
    option->needs(advises);
  addLaunchSelection(
      *command, options->selection.launches,
      "Of one trace, pairs of which one is chosen; with --json, all that is known of a part. ");
  for (CLI::Option *option : addRecordSelection(*command, options->selection.records))
    option->needs(json);
  addAnalysisOptions(*command, options->analysis);
  command->add_flag("--mpi", options->mpi,
                    "Share the work with the other processes that mpirun started; --memory is for each of "
                    "them: mpirun -n 4 cupranalyze comm --mpi TRACE");
  return [options, invocation] {
    if (options->mpi && !invocation.peers) {
      becomeMpi(invocation.arguments);
      return static_cast<int>(kExitUsage);
    }
    NoPeers alone;
    return show(*options, invocation.peers ? *invocation.peers : alone);
  };
}

} // namespace cupr::analysis

/// `verify`: is the trace whole?
#include "shared_options.h"
#include "verb.h"

#include "analysis/model/model.h"
#include "analysis/output/json.h"
#include "analysis/output/text.h"
#include "analysis/verify/verifier.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

/// What there is to say of one file.
struct Verified {
  std::string path;
  std::vector<std::string> problems;
  trace::Verdict verdict;
  std::uint64_t accesses = 0; ///< of threads, those that are derived among them
};

Verified verifyFile(const std::string &path) {
  Verified verified{path, {}, {}, 0};
  try {
    std::string error;
    const auto reader = trace::Reader::open(path, error);
    if (!reader)
      throw BadTrace(error);
    trace::WorkLimit limit(path, reader->fileBytes());
    verified.verdict = trace::verify(*reader, &limit);
    verified.problems = verified.verdict.problems;
    verified.accesses = verified.verdict.counts.accesses();
    if (verified.problems.empty() &&
        verified.verdict.derived) { // what is derived is run as well, and counted
      const Model model(path);
      for (const LaunchInfo &launch : model.launches())
        if (launch.launch.isDerived())
          verified.accesses += launch.totals.counts.accesses();
    }
  } catch (const std::runtime_error &error) { // BadTrace or trace::TooMuch
    verified.problems.emplace_back(error.what());
  }
  return verified;
}

void printVerified(const Verified &verified) {
  for (const std::string &problem : verified.problems)
    fmt::print(stderr, "cupranalyze: {}\n", shown(problem));
  if (!verified.problems.empty())
    return;
  const trace::Verdict &verdict = verified.verdict;
  fmt::print(
      "{}: whole: {} messages, {} launches ({} of them not traced), {} chunks, {} records, {} thread "
      "accesses{}{}\n",
      shown(verified.path), grouped(verdict.messages), grouped(verdict.launches), grouped(verdict.untraced),
      grouped(verdict.chunks), grouped(verdict.records), grouped(verified.accesses),
      verdict.derived ? fmt::format(", of {} launches derived", grouped(verdict.derived)) : "",
      verdict.counted ? fmt::format(", as counted on the device for {} launches", grouped(verdict.counted))
                      : "");
}

void write(Json &json, const Verified &verified) {
  const trace::Verdict &verdict = verified.verdict;
  json.beginObject().field("path", verified.path).field("whole", verified.problems.empty());
  json.key("problems").beginArray();
  for (const std::string &problem : verified.problems)
    json.value(problem);
  json.endArray();
  for (const auto &[name, number] : {std::pair{"messages", verdict.messages},
                                     {"launches", verdict.launches},
                                     {"notTraced", verdict.untraced},
                                     {"derived", verdict.derived},
                                     {"counted", verdict.counted},
                                     {"chunks", verdict.chunks},
                                     {"records", verdict.records},
                                     {"accesses", verified.accesses}})
    json.field(name, std::uint64_t{number});
  json.endObject();
}

} // namespace

Verb addVerify(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "verify", "Check that nothing is missing or damaged: frames, hashes, sequence numbers, every record, "
                "the totals of every launch, and what the device has counted (CUPR_COUNT). Exit code 2, with "
                "the reasons, if anything is wrong. "
                "Launches that were not traced are counted and are no fault.");
  struct Options {
    std::vector<std::string> paths;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->paths, "Trace files")->required();
  refuseSelection(*command, "a trace is checked as a whole");
  command->add_flag("--json", options->json, "One object for each file, as docs/analysis.md says");
  return [options] {
    int code = kExitGood;
    Json json(Json::Style::Indented);
    json.beginArray();
    for (const std::string &path : options->paths) {
      const Verified verified = verifyFile(path);
      if (options->json)
        write(json, verified);
      else
        printVerified(verified);
      if (!verified.problems.empty())
        code = kExitBadTrace;
    }
    if (options->json)
      fmt::print("{}\n", json.endArray().text());
    return code;
  };
}

} // namespace cupr::analysis

/// `verify`: is the trace whole?
#include "verb.h"

#include "analysis/model/model.h"
#include "analysis/output/text.h"
#include "analysis/verify/verifier.h"

#include <cstdio>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

int verifyFile(const std::string &path) {
  std::string error;
  const auto reader = trace::Reader::open(path, error);
  if (!reader)
    throw BadTrace(error);
  trace::WorkLimit limit(path, reader->fileBytes());
  const trace::Verdict verdict = trace::verify(*reader, &limit);
  for (const std::string &problem : verdict.problems)
    fmt::print(stderr, "cupranalyze: {}\n", shown(problem));
  if (!verdict.problems.empty())
    return kExitBadTrace;
  // What is derived is run as well, and counted.
  std::uint64_t accesses = verdict.counts.accesses();
  if (verdict.derived) {
    const Model model(path);
    for (const LaunchInfo &launch : model.launches())
      if (launch.launch.isDerived())
        accesses += launch.totals.counts.accesses();
  }
  fmt::print("{}: whole: {} messages, {} launches ({} of them not traced), {} chunks, {} records, {} thread "
             "accesses{}{}\n",
             shown(path), grouped(verdict.messages), grouped(verdict.launches), grouped(verdict.untraced),
             grouped(verdict.chunks), grouped(verdict.records), grouped(accesses),
             verdict.derived ? fmt::format(", of {} launches derived", grouped(verdict.derived)) : "",
             verdict.counted
                 ? fmt::format(", as counted on the device for {} launches", grouped(verdict.counted))
                 : "");
  return kExitGood;
}

} // namespace

Verb addVerify(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "verify", "Check that nothing is missing or damaged: frames, hashes, sequence numbers, every record, "
                "the totals of every launch, and what the device has counted (CUPR_COUNT). Exit code 2, with "
                "the reasons, if anything is wrong. "
                "Launches that were not traced are counted and are no fault.");
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("trace", *paths, "Trace files")->required();
  return [paths] {
    int code = kExitGood;
    for (const std::string &path : *paths) {
      try {
        code = std::max(code, verifyFile(path));
      } catch (const std::runtime_error &error) { // BadTrace or trace::TooMuch
        fmt::print(stderr, "cupranalyze: {}\n", shown(error.what()));
        code = kExitBadTrace;
      }
    }
    return code;
  };
}

} // namespace cupr::analysis

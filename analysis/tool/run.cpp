/// The verbs, and what becomes of their errors.
#include "run.h"

#include "analysis/engine/peer_failure.h"
#include "analysis/engine/peers.h"
#include "analysis/model/model.h"
#include "analysis/output/text.h"

#include <cstdio>
#include <exception>
#include <sstream>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

int said(const std::exception &error, ExitCode code) {
  std::fprintf(stderr, "cupranalyze: %s\n", shown(error.what()).c_str());
  return code;
}

} // namespace

void warnIfTruncated(const Model &model) {
  if (!model.truncation().empty())
    std::fprintf(stderr, "cupranalyze: %s; results cover what is there\n", shown(model.truncation()).c_str());
}

int run(int argc, char **argv, Peers *peers) {
  CLI::App app("Shows what a CUDA program did with memory, from the trace of an instrumented run.",
               "cupranalyze");
  app.footer("Exit codes: 0 good, 1 usage, 2 the trace is bad (verify: or incomplete), 3 the "
             "traces differ (diff --accesses), 4 something was found (findings --fail-on).\n"
             "'cupranalyze VERB --help' tells more about a verb.");
  app.require_subcommand(1);
  app.fallthrough(); // --any-size may stand behind the verb
  app.add_flag_callback(
      "--any-size", [] { trace::WorkLimit::allowAnySize(); },
      "Do not refuse a trace that asks for more work or memory than its size lets expect (docs/analysis.md, "
      "Limits)");
  std::vector<std::pair<const CLI::App *, Verb>> verbs;
  const auto comm = [&](CLI::App &to) { return addComm(to, {argv, peers}); };
  for (const std::function<Verb(CLI::App &)> &add : {std::function<Verb(CLI::App &)>(addAdvise),
                                                     {addInfo},
                                                     {comm},
                                                     {addDiff},
                                                     {addDump},
                                                     {addExport},
                                                     {addFindings},
                                                     {addImport},
                                                     {addRepair},
                                                     {addReport},
                                                     {addResults},
                                                     {addVerify}}) {
    Verb verb = add(app);
    verbs.emplace_back(app.get_subcommands(nullptr).back(), std::move(verb));
  }
  const bool speaks = !peers || peers->isFirst();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err);
    if (speaks) {
      std::fputs(out.str().c_str(), stdout);
      std::fputs(shownLines(err.str()).c_str(), stderr);
    }
    return code == 0 ? kExitGood : kExitUsage;
  }
  try {
    for (const auto &[command, verb] : verbs)
      if (command->parsed())
        return verb();
  } catch (const PeerFailure &error) {
    const ExitCode code = error.isBadTrace ? kExitBadTrace : kExitUsage;
    return speaks ? said(error, code) : code;
  } catch (const BadTrace &error) {
    if (peers)
      throw;
    return said(error, kExitBadTrace);
  } catch (const trace::TooMuch &error) {
    if (peers)
      throw;
    return said(error, kExitBadTrace);
  } catch (const std::exception &error) {
    if (peers)
      throw;
    return said(error, kExitUsage);
  }
  return kExitUsage;
}

} // namespace cupr::analysis

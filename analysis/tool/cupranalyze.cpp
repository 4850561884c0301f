/// cupranalyze: everything after the run. Picks the verb and maps errors to exit codes.
#include "verb.h"

#include "analysis/model/model.h"

#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

namespace cupr::analysis {

void warnIfTruncated(const Model &model) {
  if (!model.truncation().empty())
    std::fprintf(stderr, "cupranalyze: %s; results cover what is there\n", model.truncation().c_str());
}

} // namespace cupr::analysis

int main(int argc, char **argv) {
  using namespace cupr::analysis;
  CLI::App app("Shows what a CUDA program did with memory, from the trace of an instrumented run.",
               "cupranalyze");
  app.footer("Exit codes: 0 good, 1 usage, 2 the trace is bad (verify: or incomplete).\n"
             "'cupranalyze VERB --help' tells more about a verb.");
  app.require_subcommand(1);
  std::vector<std::pair<const CLI::App *, Verb>> verbs;
  for (const auto add : {addAdvise, addInfo, addComm, addDiff, addDump, addExport, addFindings, addImport,
                         addRepair, addReport, addResults, addVerify}) {
    Verb verb = add(app);
    verbs.emplace_back(app.get_subcommands(nullptr).back(), std::move(verb));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? kExitGood : kExitUsage;
  }
  try {
    for (const auto &[command, verb] : verbs)
      if (command->parsed())
        return verb();
  } catch (const BadTrace &error) {
    std::fprintf(stderr, "cupranalyze: %s\n", error.what());
    return kExitBadTrace;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "cupranalyze: %s\n", error.what());
    return kExitUsage;
  }
  return kExitUsage;
}

/// The verbs of cupranalyze. Each is one file: it adds its options and returns what runs
/// it, which gives the exit code.
#ifndef CUPR_ANALYSIS_VERB_H
#define CUPR_ANALYSIS_VERB_H

#include <CLI/CLI.hpp>
#include <functional>

namespace cupr::analysis {

class Peers;

enum ExitCode : int { kExitGood = 0, kExitUsage = 1, kExitBadTrace = 2, kExitDifferent = 3, kExitFound = 4 };

using Verb = std::function<int()>;

/// Each adds its subcommand to `app`. The function runs it; it may throw BadTrace.
Verb addAdvise(CLI::App &app);
Verb addBanks(CLI::App &app);
Verb addCaches(CLI::App &app);
Verb addCheck(CLI::App &app);
Verb addInfo(CLI::App &app);
Verb addInstructions(CLI::App &app);
Verb addDiff(CLI::App &app);
Verb addDump(CLI::App &app);
Verb addExport(CLI::App &app);
Verb addFindings(CLI::App &app);
Verb addImport(CLI::App &app);
Verb addLatency(CLI::App &app);
Verb addProfile(CLI::App &app);
Verb addRepair(CLI::App &app);
Verb addResults(CLI::App &app);
Verb addReport(CLI::App &app);
Verb addRoofline(CLI::App &app);
Verb addSql(CLI::App &app);
Verb addVerify(CLI::App &app);
Verb addView(CLI::App &app);

/// How the program was called.
struct Invocation {
  char **arguments; ///< as main has them
  Peers *peers;     ///< null: it runs alone
};
Verb addComm(CLI::App &app, const Invocation &invocation);

/// Said where the program was not built to record what it executes.
inline constexpr const char *kNoInstructions =
    "the trace does not say what is executed: 'cupr++ --instructions' builds programs that record it\n";

/// Says on stderr that results cover only a part, if that is so.
class Model;
void warnIfTruncated(const Model &model);

} // namespace cupr::analysis

#endif

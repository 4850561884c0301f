/// The command line of cupr-run.
#ifndef CUPR_LAUNCHER_COMMAND_LINE_H
#define CUPR_LAUNCHER_COMMAND_LINE_H

#include "program_run.h"

#include <optional>
#include <string>
#include <vector>

namespace cupr::launcher {

struct CommandLine {
  Program program;
  bool isQuiet = false;      ///< no summary
  bool isUnverified = false; ///< the traces are not read in full
  bool isDryRun = false;     ///< records are counted, and no trace is written
  bool isCompared = false;   ///< the program runs once more without tracing
  bool showsKernels = false;
  std::string summaryFile; ///< JSON; "-": standard error
};

/// Reads the arguments. When that is all there is to do (--help, or an error, which is printed), `exitCode`
/// says how to end.
CommandLine parseCommandLine(int argc, char **argv, std::optional<int> &exitCode);

/// Exit codes of cupr-run itself, when there is none of the program: those of env(1) and timeout(1).
enum ExitCode : int { kUsage = 125, kCannotStart = 126, kNotFound = 127 };

/// Prints `cupr-run: error: ...`.
void complain(const std::string &text);

} // namespace cupr::launcher

#endif

/// Runs a program as if it had been started directly: in the caller's terminal, with its input and output,
/// and to its end, whatever that is.
#ifndef CUPR_LAUNCHER_PROGRAM_RUN_H
#define CUPR_LAUNCHER_PROGRAM_RUN_H

#include <string>
#include <utility>
#include <vector>

namespace cupr::launcher {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Program {
  std::vector<std::string> command; ///< program and arguments; found as a shell finds it
  Environment environment;          ///< added to ours
  bool onlyThisProcess = false;     ///< sets CUPR_PROCESS to the program's number
  bool isSilent = false;            ///< input and output are /dev/null
};

struct Outcome {
  int startError = 0; ///< errno when it could not be started
  int status = 0;     ///< exit status
  int signal = 0;     ///< that ended it; 0: none
  double seconds = 0; ///< wall clock

  bool operator==(const Outcome &) const = default;
};

/// While the program runs, signals that other processes send to this one are passed on to it. Those that the
/// terminal sends
/// (^C, ^\) have reached the program already, and do nothing here. Not for several threads at once.
Outcome run(const Program &program);

/// Ends this process as the program ended: with its status, or by the same signal.
[[noreturn]] void endLike(const Outcome &outcome);

/// The file that is executed for the name: itself if it holds a slash, else from PATH; empty: there is none.
std::string findProgram(const std::string &name);

/// Whether the file holds cuprewrite's runtime. A script, or a program whose libraries alone are
/// instrumented, does not.
bool holdsRuntime(const std::string &file);

} // namespace cupr::launcher

#endif

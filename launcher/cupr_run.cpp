/// cupr-run: starts a program that was built with cupr++, and says in the end what came of it.
///
/// What it says goes to standard error, after the program has ended; until then it prints nothing.
#include "command_line.h"
#include "estimate.h"
#include "hostlib/trace/trace_path.h"
#include "hostlib/trace/work_limit.h"
#include "summary.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

using namespace cupr::launcher;

namespace {

/// A file for the processes of the run to write to; gone in the end.
class SharedFile {
public:
  SharedFile() : path_((std::filesystem::temp_directory_path() / "cupr-run.XXXXXX").string()) {
    const int file = ::mkostemp(path_.data(), O_CLOEXEC);
    if (file < 0)
      throw std::runtime_error(fmt::format("can't make a file in '{}': {}; TMPDIR names the folder for it",
                                           std::filesystem::temp_directory_path().string(),
                                           std::strerror(errno)));
    ::close(file);
  }
  ~SharedFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  SharedFile(const SharedFile &) = delete;
  SharedFile &operator=(const SharedFile &) = delete;

  const std::string &path() const { return path_; }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);)
      lines.push_back(line);
    return lines;
  }

private:
  std::string path_;
};

/// Says why the program did not start, and what to do. Returns the exit code.
int cannotStart(const std::string &name, int error) {
  if (findProgram(name).empty()) {
    complain(fmt::format("'{}' is not there: {}", name,
                         name.find('/') == std::string::npos ? "no folder of PATH holds it; write ./" + name +
                                                                   " for a program in the working directory"
                                                             : "check the path"));
    return kNotFound;
  }
  const char *const advice =
      error == EACCES    ? ": it is no program, or its mode does not let you execute it (chmod +x)"
      : error == ENOEXEC ? ": it is no program for this machine; a script needs a line #!"
      : error == ENOENT  ? ": its interpreter is not there (see its first line, or ldd)"
                         : "";
  complain(fmt::format("'{}' can't be started: {}{}", name, std::strerror(error), advice));
  return kCannotStart;
}

/// Why there is no trace.
std::string withoutTrace(const std::string &name, const Program &program) {
  const char *const wish = std::getenv("CUPR_TRACE");
  const bool hasOutput =
      std::ranges::any_of(program.environment, [](const auto &v) { return v.first == "CUPR_TRACE"; });
  if (!hasOutput && wish && std::strcmp(wish, "off") == 0)
    return "none: CUPR_TRACE is off";
  if (holdsRuntime(findProgram(name)))
    return fmt::format(
        "none: '{}' made no CUDA call, ended without a word (SIGKILL, _exit), could not write (it "
        "then says so above), or was built with --no-trace",
        name);
  return fmt::format(
      "none: '{}' is not instrumented, nor did it start a program that is. Build it with cupr++ in place "
      "of nvcc: make NVCC=cupr++",
      name);
}

void print(const std::string &prefix, const std::vector<std::string> &lines) {
  for (const std::string &line : lines)
    fmt::print(stderr, "{}: {}\n", prefix, line);
}

/// Returns whether that could be done.
bool writeJson(const std::string &file, const std::string &text) {
  if (file == "-") {
    fmt::print(stderr, "{}", text);
    return true;
  }
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out)
    complain(fmt::format("can't write the summary to '{}': {}", file, std::strerror(errno)));
  return static_cast<bool>(out);
}

/// What stands in front of each line: in an MPI job, the rank.
std::string prefixFor(const std::string &rank) {
  return rank.empty() ? "cupr-run" : fmt::format("cupr-run[{}]", rank);
}

/// Ends as the program ended, unless something of our own went wrong while all was well with the program.
int end(const Outcome &outcome, bool isGood) {
  if (!isGood && !outcome.status && !outcome.signal)
    return kUsage;
  std::fflush(nullptr);
  endLike(outcome);
}

int dryRun(const CommandLine &line) {
  Outcome outcome;
  std::vector<std::string> lines;
  {
    const SharedFile totals;
    Program program = line.program;
    program.environment.emplace_back("CUPR_SINK", "null");
    program.environment.emplace_back("CUPR_SUMMARY", totals.path());
    program.environment.emplace_back("CUPR_DERIVE", "off"); // what is derived nobody counts here
    outcome = run(program);
    lines = totals.lines();
  }
  const std::string name = line.program.command.front();
  if (outcome.startError)
    return cannotStart(name, outcome.startError);
  const std::string prefix = prefixFor(cupr::trace::NamedProcess::of("", 0).rank);
  const std::vector<Counted> processes = readCounted(lines);
  if (!line.isQuiet && line.summaryFile != "-") {
    if (processes.empty())
      print(prefix, {"counted   " + withoutTrace(name, line.program)});
    for (const Counted &counted : processes)
      print(prefix, estimateLines(counted));
    if (outcome.status || outcome.signal)
      print(prefix, {"program   " + outcomeText(outcome)});
  }
  return end(outcome, line.summaryFile.empty() || writeJson(line.summaryFile, estimateJson(processes)));
}

int launch(const CommandLine &line) {
  const std::string name = line.program.command.front();
  RunSummary summary;
  summary.command = line.program.command;
  summary.rank = cupr::trace::NamedProcess::of("", 0).rank;
  std::vector<std::string> paths;
  {
    const SharedFile list;
    Program program = line.program;
    program.environment.emplace_back("CUPR_TRACE_LIST", list.path());
    summary.outcome = run(program);
    paths = list.lines();
  }
  if (summary.outcome.startError)
    return cannotStart(name, summary.outcome.startError);
  if (line.isCompared) {
    Program plain = line.program;
    plain.environment.emplace_back("CUPR_TRACE", "off");
    plain.isSilent = true;
    summary.plain = run(plain);
  }
  const bool isWanted = !line.isQuiet || !line.summaryFile.empty();
  for (const std::string &path : paths)
    if (isWanted)
      summary.traces.push_back(summarise(path, line.isUnverified ? Check::Ends : Check::Whole));

  const std::string prefix = prefixFor(summary.rank);
  if (!line.isQuiet && line.summaryFile != "-") {
    if (paths.empty())
      print(prefix, {"trace     " + withoutTrace(name, line.program)});
    print(prefix, summaryLines(summary, line.showsKernels ? Detail::Kernels : Detail::Totals));
  }
  return end(summary.outcome, line.summaryFile.empty() || writeJson(line.summaryFile, summaryJson(summary)));
}

} // namespace

int main(int argc, char **argv) {
  cupr::trace::WorkLimit::allowAnySize(); // its own program wrote the traces
  try {
    std::optional<int> exitCode;
    const CommandLine line = parseCommandLine(argc, argv, exitCode);
    return exitCode ? *exitCode : line.isDryRun ? dryRun(line) : launch(line);
  } catch (const std::exception &error) {
    complain(error.what());
    return kUsage;
  }
}

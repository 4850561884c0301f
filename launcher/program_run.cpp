#include "program_run.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cupr::launcher {

namespace {

/// Signals that are passed on.
constexpr std::array kPassed = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/// Holds the signals back while it lives, so that they can be waited for.
class Signals {
public:
  Signals() {
    sigemptyset(&set_);
    for (const int signal : kPassed)
      sigaddset(&set_, signal);
    sigaddset(&set_, SIGCHLD);
    // One that our starter ignores, the program ignores too.
    std::signal(SIGCHLD, SIG_DFL);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~Signals() { restore(); }
  Signals(const Signals &) = delete;
  Signals &operator=(const Signals &) = delete;

  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  /// Waits for the next one.
  siginfo_t next() const {
    siginfo_t info{};
    while (::sigwaitinfo(&set_, &info) < 0) {
    }
    return info;
  }

private:
  sigset_t set_{}, before_{};
};

/// In the new process: becomes the program. Returns only when that fails.
void become(const Program &program) {
  for (const auto &[name, value] : program.environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  if (program.onlyThisProcess)
    ::setenv("CUPR_PROCESS", std::to_string(::getpid()).c_str(), 1);
  if (program.isSilent) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::dup2(nothing, stream);
    if (nothing > STDERR_FILENO)
      ::close(nothing);
  }
  std::vector<char *> words;
  for (const std::string &word : program.command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
}

} // namespace

Outcome run(const Program &program) {
  const Signals signals;
  Outcome outcome;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    outcome.startError = errno;
    return outcome;
  }
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    signals.restore();
    become(program);
    const int error = errno;
    // The pipe closes without a word when the program starts.
    static_cast<void>(!::write(pipe[1], &error, sizeof error));
    ::_exit(127);
  }
  const int forkError = child < 0 ? errno : 0;
  ::close(pipe[1]);
  int error = 0;
  if (child > 0 && ::read(pipe[0], &error, sizeof error) == sizeof error)
    outcome.startError = error;
  ::close(pipe[0]);
  if (forkError) {
    outcome.startError = forkError;
    return outcome;
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const siginfo_t info = signals.next();
    // What a process sent (kill) has a code of 0 or less; the kernel's own has more.
    if (info.si_signo != SIGCHLD && info.si_code <= 0)
      ::kill(child, info.si_signo);
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.status = WEXITSTATUS(status);
  return outcome;
}

void endLike(const Outcome &outcome) {
  if (outcome.signal) {
    // The program has dumped its core if it was to; ours would replace it.
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    std::signal(outcome.signal, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, outcome.signal);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(outcome.signal);
    std::_Exit(128 + outcome.signal); // a signal that does not end a process
  }
  std::_Exit(outcome.status);
}

std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), F_OK) == 0 ? name : "";
  const char *const path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const std::size_t end = rest.find(':');
    const std::string file = (std::filesystem::path(rest.substr(0, end)) / name).string();
    if (::access(file.c_str(), X_OK) == 0)
      return file;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return "";
}

bool holdsRuntime(const std::string &file) {
  // The name of a variable that only the runtime reads. Symbols may have been stripped; texts may not.
  static constexpr std::string_view kMark = "CUPR_TRACE_LIST";
  std::ifstream in(file, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  std::size_t kept = 0;
  while (in) {
    in.read(buffer.data() + kept, static_cast<std::streamsize>(buffer.size() - kept));
    const std::string_view text(buffer.data(), kept + static_cast<std::size_t>(in.gcount()));
    if (text.find(kMark) != std::string_view::npos)
      return true;
    // The mark may lie across the end.
    kept = std::min(text.size(), kMark.size() - 1);
    std::memmove(buffer.data(), text.data() + text.size() - kept, kept);
  }
  return false;
}

} // namespace cupr::launcher

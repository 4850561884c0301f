#include "live_check.h"

#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/driver/signals_to_others.h"
#include "hostlib/runtime/paths/host_accesses.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sched.h>
#include <spawn.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace cupr::host {
namespace {

constexpr const char *kChecker = "cupranalyze";

/// As a shell finds it; empty: it is in no folder.
std::string findChecker() {
  const char *const path = ::secure_getenv("PATH");
  std::string_view folders = path ? path : "";
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    std::string file = (std::filesystem::path(folder) / kChecker).string();
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

/// What starts the checker, made before there is a process in between, which may do next to nothing.
class CheckerStart {
public:
  /// `socket`: the checker's end, which it has as stdin and stdout.
  CheckerStart(std::string program, std::string trace, int socket)
      : program_(std::move(program)), trace_(std::move(trace)) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
  }
  ~CheckerStart() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  CheckerStart(const CheckerStart &) = delete;
  CheckerStart &operator=(const CheckerStart &) = delete;

  /// Returns 0 or the error number.
  int run() {
    constexpr std::size_t kStackBytes = 256u << 10;
    const auto stack = std::make_unique<std::byte[]>(kStackBytes);
    // What it starts has to start it before this thread goes on; its end raises no signal, and wait() does not know it.
    const SignalsToOthers signals;
    const int between = ::clone(startChecker, stack.get() + kStackBytes, CLONE_VM | CLONE_VFORK, this);
    if (between < 0)
      return errno;
    while (::waitpid(between, nullptr, __WALL) < 0 && errno == EINTR) {
    }
    return error_;
  }

private:
  static int startChecker(void *of) {
    auto &start = *static_cast<CheckerStart *>(of);
    char check[] = "check", live[] = "--live", end[] = "--"; // the trace's name may begin as an option does
    std::array<char *, 6> arguments{start.program_.data(), check, live, end, start.trace_.data(), nullptr};
    pid_t ignored = 0;
    start.error_ = ::posix_spawn(&ignored, start.program_.c_str(), &start.actions_, &start.attributes_,
                                 arguments.data(), environ);
    return 0;
  }

  std::string program_, trace_;
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
  int error_ = 0;
};

} // namespace

LiveCheck::LiveCheck(trace::Writer &writer, HostLog &log) : writer_(writer), log_(log) {
  const std::string program = findChecker();
  if (program.empty()) {
    message(
        "CUPR_CHECK needs {}, which is in no folder of PATH: put that of cupr++ there; the program goes on "
        "unchecked",
        kChecker);
    return;
  }
  std::array<int, 2> ends{};
  int error = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0 ? errno : 0;
  if (error == 0) {
    error = child_.adopt(ends[0]);
    // Behind the numbers that the child has its own for.
    const int socket = ::fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(ends[1]);
    if (socket < 0)
      error = errno;
    if (error == 0)
      error = CheckerStart(program, writer.path(), socket).run();
    if (socket >= 0)
      ::close(socket);
  }
  if (error == 0)
    return;
  child_.close();
  message("CUPR_CHECK can't start {}: {}; the program goes on unchecked", program, std::strerror(error));
}

bool LiveCheck::look() noexcept {
  try {
    const InRuntime inRuntime;
    const std::scoped_lock lock(mutex_);
    if (!child_.isOpen())
      return false;
    // By their calls, copies are known to be of one place.
    if (HostAccesses::current())
      log_.collectAll();
    writer_.flush();
    const std::optional<Answer> now = ask("look\n");
    if (!now || now->faults == std::exchange(faults_, now->faults))
      return false;
    // Who called is told with each fault: so far it is known by addresses alone.
    log_.collectAll();
    log_.writeNames();
    if (const std::optional<Answer> told = ask("tell\n"))
      abi::standardError.write(told->text);
    return true;
  } catch (...) { // no memory for it
    return false;
  }
}

void LiveCheck::end() {
  const std::scoped_lock lock(mutex_);
  if (!child_.isOpen())
    return;
  if (const std::optional<Answer> last = ask("end\n"))
    abi::standardError.write(last->text);
  child_.close();
}

std::optional<LiveCheck::Answer> LiveCheck::ask(const std::string &request) {
  Answer answer;
  const int error = exchange(request, answer);
  if (error == 0)
    return answer;
  child_.close();
  message("{}: the program goes on unchecked; 'cupranalyze check {}' looks at all of it when it has ended",
          error == EBADF ? "the program has closed the descriptor by which it is checked"
                         : "what checks the program (cupranalyze check --live) has ended",
          writer_.path());
  return std::nullopt;
}

int LiveCheck::exchange(const std::string &request, Answer &answer) {
  // As analysis/tool/live_check.h has it.
  constexpr std::size_t kDigits = 19;
  std::array<char, 2 * kDigits + 2> head{};
  int error = child_.send(request.data(), request.size());
  if (error == 0)
    error = child_.receive(head.data(), head.size());
  if (error != 0)
    return error;
  const auto number = [&](std::size_t at) {
    const std::string_view digits(head.data() + at, kDigits);
    std::uint64_t value = 0;
    std::from_chars(digits.data() + std::min(digits.find_first_not_of(' '), kDigits), digits.end(), value);
    return value;
  };
  answer.faults = number(0);
  answer.text.resize(number(kDigits + 1));
  return child_.receive(answer.text.data(), answer.text.size());
}

} // namespace cupr::host

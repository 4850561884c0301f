#include "execution.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cupr::tool {

unsigned processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    if (const int count = CPU_COUNT(&set); count > 0)
      return static_cast<unsigned>(count);
  return 1;
}

int Execution::run(const std::string &step, const Command &command, std::string *output) {
  if (show_) {
    fmt::print("{}\n", command.text());
    return 0;
  }
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ < jobs_ || failure_; });
    if (failure_)
      return failure_;
    ++running_;
  }
  if (verbose_)
    print("#$ " + command.text() + "\n");
  const auto seconds = [this] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  };
  std::string printed;
  StepTime time;
  time.step = step;
  time.output = command.output();
  time.start = seconds();
  const int code = runCaptured(command, printed, time);
  time.seconds = seconds() - time.start;
  const std::lock_guard lock(mutex_);
  --running_;
  ended_.notify_all();
  if (failure_)
    return failure_;
  times_.push_back(std::move(time));
  if (output && !code)
    *output = std::move(printed);
  else
    std::fwrite(printed.data(), 1, printed.size(), stderr);
  failure_ = code;
  if (failure_)
    for (const pid_t child : children_)
      kill(child, SIGTERM);
  return code;
}

int Execution::runCaptured(const Command &command, std::string &printed, StepTime &time) {
  // A file, not a pipe: nobody needs to read while the command runs.
  std::FILE *const capture = std::tmpfile();
  if (!capture) {
    printed = fmt::format("cupr++: error: no temporary file: {}\n", std::strerror(errno));
    return 1;
  }
  fcntl(fileno(capture), F_SETFD, FD_CLOEXEC);
  pid_t child = 0;
  int code = 0;
  {
    // Under the lock: a failure elsewhere either ends this child too, or is seen here before it starts.
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      code = command.start(fileno(capture), child, printed);
      if (!code)
        children_.insert(child);
    }
  }
  if (child) {
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    {
      // Until it is reaped its number can't belong to another process.
      const std::lock_guard lock(mutex_);
      children_.erase(child);
    }
    int status = 0;
    rusage used{};
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    time.cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    code = Command::exitCode(status);
  }
  std::rewind(capture);
  char buffer[4096];
  while (const std::size_t bytes = std::fread(buffer, 1, sizeof buffer, capture))
    printed.append(buffer, bytes);
  std::fclose(capture);
  return code;
}

void Execution::print(const std::string &text) {
  const std::lock_guard lock(mutex_);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Execution::sideBySide(const std::vector<std::function<int()>> &lanes) {
  if (show_ || jobs_ == 1 || lanes.size() <= 1) {
    for (const std::function<int()> &lane : lanes)
      if (const int code = lane())
        return code;
    return 0;
  }
  std::vector<int> codes(lanes.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < lanes.size(); ++i)
    threads.emplace_back([&, i] { codes[i] = lanes[i](); });
  codes[0] = lanes[0]();
  for (std::thread &thread : threads)
    thread.join();
  for (const int code : codes)
    if (code)
      return code;
  return 0;
}

unsigned Execution::threadsFor() const {
  const std::lock_guard lock(mutex_);
  return running_ < jobs_ ? jobs_ - running_ : 1;
}

} // namespace cupr::tool

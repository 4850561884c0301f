#include "command.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace cupr::tool {

std::string Command::text() const {
  std::string line;
  for (const std::string &word : words_) {
    const bool plain =
        !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                "0123456789_-+=./,:@%") == std::string::npos;
    if (!line.empty())
      line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string Command::output() const {
  const auto flag = std::find(words_.begin(), words_.end(), "-o");
  return flag != words_.end() && flag + 1 != words_.end() ? flag[1] : words_.back();
}

int Command::spawn(const void *actions, pid_t &child, std::string &problem) const {
  std::vector<char *> arguments;
  for (const std::string &word : words_)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  const int error =
      posix_spawnp(&child, arguments[0], static_cast<const posix_spawn_file_actions_t *>(actions), nullptr,
                   arguments.data(), environ);
  if (!error)
    return 0;
  child = 0;
  problem = fmt::format("cupr++: error: {} can't be started: {}\n", words_[0], std::strerror(error));
  return 127;
}

int Command::exitCode(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

int Command::run() const {
  pid_t child = 0;
  std::string problem;
  if (const int code = spawn(nullptr, child, problem)) {
    fmt::print(stderr, "{}", problem);
    return code;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exitCode(status);
}

int Command::start(int output, pid_t &child, std::string &problem) const {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  const int code = spawn(&actions, child, problem);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

} // namespace cupr::tool

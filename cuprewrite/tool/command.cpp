#include "command.h"

#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

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

int Command::run() const {
  std::vector<char *> arguments;
  for (const std::string &word : words_)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ)) {
    fmt::print(stderr, "cupr++: error: {} can't be started: {}\n", words_[0], std::strerror(error));
    return 127;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace cupr::tool

/// A command to run: a program and its arguments, never a shell line.
#ifndef CUPR_TOOL_COMMAND_H
#define CUPR_TOOL_COMMAND_H

#include <initializer_list>
#include <string>
#include <vector>

#include <sys/types.h>

namespace cupr::tool {

class Command {
public:
  Command(std::initializer_list<std::string> words) : words_(words) {}
  explicit Command(std::vector<std::string> words) : words_(std::move(words)) {}

  Command &add(const std::string &word) {
    words_.push_back(word);
    return *this;
  }
  Command &add(const std::vector<std::string> &words) {
    words_.insert(words_.end(), words.begin(), words.end());
    return *this;
  }

  const std::vector<std::string> &words() const { return words_; }
  /// The file behind `-o`, else the last word.
  std::string output() const;
  /// As one would type it into a shell.
  std::string text() const;
  /// Runs it with this program's standard streams and waits. Returns the exit code, 128 + the signal
  /// that ended it, or 127 when it can't be started (then says so on stderr).
  int run() const;
  /// Starts it; what it prints goes to the file `output`. Returns 0, or 127 when it can't be started;
  /// then `problem` says why.
  int start(int output, pid_t &child, std::string &problem) const;
  /// What wait() said, as a shell would put it.
  static int exitCode(int status);

private:
  /// `actions`: posix_spawn_file_actions_t, or null.
  int spawn(const void *actions, pid_t &child, std::string &problem) const;

  std::vector<std::string> words_;
};

} // namespace cupr::tool

#endif

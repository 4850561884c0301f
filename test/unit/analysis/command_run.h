/// Runs cupranalyze as a user's shell does.
#ifndef CUPR_UNIT_COMMAND_RUN_H
#define CUPR_UNIT_COMMAND_RUN_H

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace cupr::test {

struct Run {
  int code;
  std::string out; ///< with stderr
};

inline Run outputOf(const std::string &command) {
  std::FILE *pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  Run run;
  std::array<char, 4096> buffer;
  std::size_t got;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
    run.out.append(buffer.data(), got);
  run.code = WEXITSTATUS(::pclose(pipe));
  return run;
}

inline Run cupranalyze(const std::string &arguments) {
  return outputOf(std::string(CUPRANALYZE) + " " + arguments);
}

inline std::size_t lines(const std::string &text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace cupr::test

#endif

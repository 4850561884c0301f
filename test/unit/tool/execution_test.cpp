#include "cuprewrite/tool/execution.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <unistd.h>

using cupr::tool::Command;
using cupr::tool::Execution;

namespace {

/// What `body` prints to standard error.
template <typename Body> std::string printedBy(Body body) {
  std::fflush(stderr);
  std::FILE *const file = std::tmpfile();
  const int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  body();
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

Command shell(const std::string &line) { return Command{"sh", "-c", line}; }
/// Runs until somebody ends it.
Command endless() { return Command{"tail", "-f", "/dev/null"}; }

} // namespace

TEST_CASE("a command that fails ends the others, and its code is the result") {
  Execution execution(false, 4);
  int late = -1;
  const int code = execution.sideBySide({[&] { return execution.run("endless", endless()); },
                                         [&] { return execution.run("fails", shell("exit 3")); },
                                         [&] {
                                           execution.run("endless", endless());
                                           return late = execution.run("late", shell("exit 0"));
                                         }});
  CHECK(code == 3);
  CHECK(late == 3);
}

TEST_CASE("the failure is told once") {
  const std::string printed = printedBy([] {
    Execution execution(false, 2);
    const auto lane = [&] { return execution.run("fails", shell("echo problem >&2; exit 1")); };
    CHECK(execution.sideBySide({lane, lane}) == 1);
  });
  CHECK(printed == "problem\n");
}

TEST_CASE("outputs of commands that run side by side do not mix") {
  const std::string printed = printedBy([] {
    Execution execution(false, 2);
    const auto lane = [&](const std::string &word) {
      return execution.run("prints", shell("for i in 1 2 3 4 5 6 7 8 9; do echo " + word + " >&2; done"));
    };
    CHECK(execution.sideBySide({[&] { return lane("a"); }, [&] { return lane("b"); }}) == 0);
  });
  std::string as, bs;
  for (int i = 0; i < 9; ++i) {
    as += "a\n";
    bs += "b\n";
  }
  CHECK((printed == as + bs || printed == bs + as));
}

TEST_CASE("with one job lanes run in their order, up to the first failure") {
  std::string order;
  Execution execution(false, 1);
  const auto lane = [&](char name, const char *line) {
    return [&order, &execution, name, line] {
      order += name;
      return execution.run("lane", shell(line));
    };
  };
  CHECK(execution.sideBySide({lane('a', "exit 0"), lane('b', "exit 2"), lane('c', "exit 0")}) == 2);
  CHECK(order == "ab");
  REQUIRE(execution.times().size() == 2);
  CHECK(execution.times()[0].step == "lane");
}

TEST_CASE("a program that is not there is an error") {
  const std::string printed = printedBy([] {
    Execution execution(false, 2);
    CHECK(execution.run("missing", Command{"/nowhere/program"}) == 127);
  });
  CHECK(printed.find("/nowhere/program can't be started") != std::string::npos);
}

TEST_CASE("where commands are only shown nothing runs") {
  Execution execution(true, 2);
  CHECK(execution.run("fails", shell("exit 3")) == 0);
}

TEST_CASE("no lanes are no work") {
  Execution execution(false, 2);
  CHECK(execution.sideBySide({}) == 0);
}

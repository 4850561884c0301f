/// A program under cupr-run ends, is ended and reads as it would without.
#include "launcher/program_run.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace cupr::launcher;

namespace {

Outcome shell(const std::string &script) {
  return run({{"sh", "-c", script}, {{"CUPR_TEST", "set"}}, false, false});
}

/// How a process that ends like the program has ended, as waitpid says.
int statusLike(const std::string &script) {
  const pid_t child = ::fork();
  if (child == 0)
    endLike(shell(script));
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

} // namespace

TEST_CASE("the status is the program's") {
  CHECK(shell("exit 0").status == 0);
  CHECK(shell("exit 37").status == 37);
  CHECK(shell("test $CUPR_TEST = set").status == 0);
  CHECK(shell("kill -TERM $$").signal == SIGTERM);
  CHECK(shell("kill -KILL $$").signal == SIGKILL);
}

TEST_CASE("this process ends as the program ended") {
  CHECK(WEXITSTATUS(statusLike("exit 37")) == 37);
  const int terminated = statusLike("kill -TERM $$");
  REQUIRE(WIFSIGNALED(terminated));
  CHECK(WTERMSIG(terminated) == SIGTERM);
  const int aborted = statusLike("ulimit -c 0; kill -ABRT $$");
  REQUIRE(WIFSIGNALED(aborted));
  CHECK(WTERMSIG(aborted) == SIGABRT);
}

TEST_CASE("a program that can't be started says why") {
  CHECK(run({{"/nonexistent/program"}, {}, false, false}).startError == ENOENT);
  CHECK(run({{"/etc/passwd"}, {}, false, false}).startError == EACCES);
}

TEST_CASE("a signal that another process sends is passed on") {
  // The program tells its parent that it is ready by sending it the signal that it waits for itself.
  const Outcome outcome = shell("trap 'exit 5' USR1; kill -USR1 $PPID; while :; do :; done");
  CHECK(outcome.status == 5);
}

TEST_CASE("the signals of this process are as before") {
  sigset_t before, after;
  ::sigprocmask(SIG_SETMASK, nullptr, &before);
  shell("exit 0");
  ::sigprocmask(SIG_SETMASK, nullptr, &after);
  CHECK(sigismember(&before, SIGTERM) == sigismember(&after, SIGTERM));
  CHECK(sigismember(&after, SIGCHLD) == 0);
}

TEST_CASE("programs are found as a shell finds them") {
  CHECK(findProgram("/bin/sh") == "/bin/sh");
  CHECK_FALSE(findProgram("sh").empty());
  CHECK(findProgram("no-such-program-anywhere").empty());
}

TEST_CASE("the runtime is found in what is linked with it") {
  CHECK(holdsRuntime(CUPR_LIBRARY));
  CHECK_FALSE(holdsRuntime("/bin/sh"));
}

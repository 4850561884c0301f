/// A file is there when it is complete, and not before: after errors, after signals, and for names that are
/// no files.
#include "analysis/output/byte_sink.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <sys/wait.h>

namespace pending_file_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

std::size_t filesBeside(const std::string &path) {
  const std::filesystem::directory_iterator all(std::filesystem::path(path).parent_path());
  return static_cast<std::size_t>(std::distance(all, std::filesystem::directory_iterator{}));
}

void writeText(const PendingFile &file, const char *text) {
  const auto sink = fileSink(file);
  sink->write(text);
  sink->finish();
}

} // namespace

TEST_CASE("a file gets its name when it is committed") {
  test::TemporaryFile file;
  file.write("old");
  {
    PendingFile pending(file.path());
    writeText(pending, "new");
    CHECK(file.read() == "old");
    pending.commit();
    CHECK(file.read() == "new");
  }
  CHECK(file.read() == "new");
  CHECK(filesBeside(file.path()) == 1);
}

TEST_CASE("a file that is not committed goes away") {
  test::TemporaryFile file;
  file.write("old");
  {
    PendingFile pending(file.path());
    writeText(pending, "new");
    CHECK(filesBeside(file.path()) == 2);
  }
  CHECK(file.read() == "old");
  CHECK(filesBeside(file.path()) == 1);
}

TEST_CASE("signals that end the program remove what is unfinished") {
  test::TemporaryFile file;
  file.write("old");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL);
      PendingFile first(file.path()), second(file.path() + ".other");
      writeText(first, "half");
      writeText(second, "half");
      ::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    INFO("signal " << signal);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(file.read() == "old");
    CHECK(filesBeside(file.path()) == 1);
  }
}

TEST_CASE("devices are written at once, and links stay links") {
  {
    PendingFile pending("/dev/null");
    CHECK(pending.path() == "/dev/null");
    writeText(pending, "gone");
    pending.commit();
  }
  CHECK(std::filesystem::is_character_file("/dev/null"));
  PendingFile full("/dev/full");
  CHECK_THROWS_WITH(writeText(full, "x"),
                    "can't write '/dev/full': No space left on device; choose another place with -o");

  test::TemporaryFile file;
  file.write("old");
  const std::string link = file.path() + ".link";
  std::filesystem::create_symlink(file.path(), link);
  {
    PendingFile pending(link);
    writeText(pending, "new");
    pending.commit();
  }
  CHECK(std::filesystem::is_symlink(link));
  CHECK(file.read() == "new");
  std::filesystem::remove(link);
}

} // namespace pending_file_test

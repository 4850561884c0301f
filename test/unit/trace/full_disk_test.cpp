/// When the file can't be written, the program goes on: one line on stderr, and what was
/// written is a readable trace.
#include "hostlib/trace/reader.h"
#include "small_trace.h"
#include "stderr_capture.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace cupr;
using namespace cupr::trace;

namespace {

/// Random addresses: they pack badly.
void manyRecords(test::TraceBuilder &trace, trace::LaunchId id) {
  test::Words words;
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    abi::WarpAccess access{};
    access.laneMask = 0xffffffffu;
    for (auto &address : access.address)
      address = state = state * 6364136223846793005u + 1442695040888963407u;
    words.add(access);
  }
  trace.records(id, words);
}

} // namespace

TEST_CASE("a device without room: one line, no crash, failed() and finish() say it") {
  bool failed = false, finished = true;
  const auto lines = test::stderrOf([&] {
    test::TraceBuilder trace("/dev/full");
    trace.table(test::smallTable());
    const auto id = trace.launch("kernel(int*)", {1, 1, 1}, {32, 1, 1});
    manyRecords(trace, id);
    trace.end(id);
    failed = trace.writer->failed();
    finished = trace.writer->finish();
  });
  CHECK(failed);
  CHECK_FALSE(finished);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::StartsWith(
                           "cuprewrite: can't write the trace file '/dev/full': No space left on device"));
}

TEST_CASE("a folder that is not there: one line, and every call does nothing") {
  const auto lines = test::stderrOf([&] {
    test::TraceBuilder trace("/nonexistent/folder/t.cuprtrace");
    CHECK(trace.writer->failed());
    trace.table(test::smallTable());
    const auto id = trace.launch("kernel(int*)", {1, 1, 1}, {32, 1, 1});
    trace.end(id);
    trace.allocate(1, 2);
    CHECK_FALSE(trace.writer->finish());
  });
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::StartsWith("cuprewrite: can't create the trace file"));
}

TEST_CASE("a file-size limit neither kills the program nor leaves half a message") {
  test::TemporaryFile file;
  const auto lines = test::stderrOf([&] {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit limit{1u << 20, 1u << 20};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      std::signal(SIGXFSZ, SIG_DFL);
      bool failed;
      {
        test::TraceBuilder trace(file.path());
        trace.table(test::smallTable());
        const auto id = trace.launch("kernel(int*)", {1, 1, 1}, {32, 1, 1});
        manyRecords(trace, id); // about 5 MB
        trace.end(id);
        failed = trace.writer->failed();
        failed = !trace.writer->finish() && failed;
      }
      ::_exit(failed ? 7 : 8);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
  });
  CHECK(lines.size() == 1);
  std::string error;
  auto reader = Reader::open(file.path(), error);
  REQUIRE(reader);
  Message message;
  std::size_t chunks = 0;
  ReadStatus status;
  while ((status = reader->next(message)) == ReadStatus::Message)
    chunks += std::holds_alternative<Chunk>(message);
  CHECK(status == ReadStatus::Truncated);
  CHECK(reader->rule() == "the file has no end message");
  CHECK(chunks > 0);
}

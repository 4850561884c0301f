/// Cut files and flipped bits: a cut gives all whole messages and "truncated", a flip is
/// always noticed, and neither crashes.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/reader.h"
#include "small_trace.h"

#include <catch2/catch.hpp>

using namespace cupr;
using namespace cupr::trace;

namespace {

struct Outcome {
  std::size_t messages = 0;
  ReadStatus status{};
  std::string error;
};

Outcome readAll(const std::string &path) {
  std::string error;
  auto reader = Reader::open(path, error);
  REQUIRE(reader);
  Outcome outcome;
  Message message;
  while ((outcome.status = reader->next(message)) == ReadStatus::Message)
    ++outcome.messages;
  if (outcome.status != ReadStatus::End)
    outcome.error = reader->error();
  return outcome;
}

/// Where messages end.
std::vector<std::size_t> boundaries(const std::string &path) {
  std::string error;
  auto reader = Reader::open(path, error);
  Message message;
  std::vector<std::size_t> ends;
  while (reader->next(message) == ReadStatus::Message)
    if (reader->offset() != 0)
      ends.push_back(reader->offset());
  ends.push_back(reader->fileBytes());
  return ends;
}

} // namespace

TEST_CASE("a file cut at any byte reads up to the last whole message") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string whole = file.read();
  const std::vector<std::size_t> ends = boundaries(file.path());
  REQUIRE(ends.size() > 10);
  test::TemporaryFile cut;
  std::size_t expected = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    while (length >= ends[expected])
      ++expected;
    cut.write(whole.substr(0, length));
    const Outcome outcome = readAll(cut.path());
    INFO("cut at " << length << ": " << outcome.error);
    REQUIRE(outcome.status == ReadStatus::Truncated);
    REQUIRE(outcome.messages == expected);
    std::string error;
    auto reader = Reader::open(cut.path(), error);
    REQUIRE_FALSE(verify(*reader).problems.empty());
  }
}

TEST_CASE("every flipped bit is noticed") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string whole = file.read();
  test::TemporaryFile bad;
  for (std::size_t bit = 0; bit < whole.size() * 8; bit += 5) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    bad.write(bytes);
    std::string error;
    auto reader = Reader::open(bad.path(), error);
    REQUIRE(reader);
    INFO("bit " << bit);
    REQUIRE_FALSE(verify(*reader).problems.empty());
  }
}

TEST_CASE("what is not a trace is damaged, not truncated") {
  test::TemporaryFile file;
  for (const char *text :
       {"x", "hello, world", "a longer text that is no trace, with more bytes than a head"}) {
    file.write(text);
    CHECK(readAll(file.path()).status == ReadStatus::Damaged);
  }
}

TEST_CASE("a message that is missing in the middle is noticed") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string whole = file.read();
  const std::vector<std::size_t> ends = boundaries(file.path());
  for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
    test::TemporaryFile gap;
    gap.write(whole.substr(0, ends[i - 1]) + whole.substr(ends[i]));
    const Outcome outcome = readAll(gap.path());
    CHECK(outcome.status == ReadStatus::Damaged);
    CHECK(outcome.messages == i);
    CHECK_THAT(outcome.error, Catch::Contains("missing"));
  }
}

TEST_CASE("bytes behind the end are damage") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  file.write(file.read() + "x");
  CHECK(readAll(file.path()).status == ReadStatus::Damaged);
}

TEST_CASE("errors name the file, the message and the rule") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  std::string bytes = file.read();
  const std::size_t lastMessage = boundaries(file.path()).rbegin()[1];
  bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 1);
  file.write(bytes);
  const Outcome outcome = readAll(file.path());
  CHECK(outcome.error == file.path() + ": damaged at message " + std::to_string(outcome.messages) +
                             " (offset " + std::to_string(lastMessage) +
                             "): the check of the frame is wrong");
  std::string error;
  CHECK(Reader::open("/nonexistent/x", error) == nullptr);
  CHECK(error == "can't open the trace file '/nonexistent/x': No such file or directory");
}

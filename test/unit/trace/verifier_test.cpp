/// The verifier on several threads: files that are large enough for that. (What it finds: damage_test, round_trip_test.)
#include "analysis/verify/verifier.h"
#include "hostlib/trace/message_file.h"
#include "trace_builder.h"
#include "verdict.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

using namespace cupr;
using namespace cupr::trace;

namespace {

constexpr std::size_t kChunks = 60;
constexpr std::uint64_t kRecords = 1000; ///< of each chunk

/// A launch of kChunks chunks whose addresses nobody can pack.
void writeLargeTrace(const std::string &path) {
  std::mt19937_64 random(1);
  test::SiteTableBlob table;
  table.site(abi::Operation::Load, 4, "a.cu", 10);
  test::TraceBuilder trace(path);
  trace.table(table);
  const LaunchId id = trace.launch("kernel(int*)", {4, 1, 1}, {32, 1, 1});
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    test::Words words;
    for (std::uint64_t record = 0; record < kRecords; ++record) {
      abi::WarpAccess access{};
      access.laneMask = 0xffffffffu;
      access.cta = record % 4;
      for (std::uint64_t &address : access.address)
        address = random() >> 16 & ~std::uint64_t{3};
      words.add(access);
    }
    trace.records(id, words, static_cast<std::uint32_t>(chunk));
  }
  trace.end(id);
  trace.writer->finish();
}

/// The trace again, each chunk as `change` leaves it; the file has counts and index that fit.
void rewrite(const std::string &from, const std::string &to, const std::function<void(Chunk &)> &change) {
  std::string error;
  const auto reader = Reader::open(from, error);
  REQUIRE(reader);
  MessageFile file(to);
  Message message;
  while (reader->next(message) == ReadStatus::Message) {
    if (auto *const end = std::get_if<End>(&message))
      return file.finish(*end);
    if (auto *const chunk = std::get_if<Chunk>(&message))
      change(*chunk);
    file.append(message);
  }
}

} // namespace

TEST_CASE("a large trace is recounted whole") {
  test::TemporaryFile file;
  writeLargeTrace(file.path());
  REQUIRE(file.read().size() > 4u << 20);
  const Verdict verdict = test::verdictOf(file.path());
  CHECK(verdict.problems.empty());
  CHECK(verdict.chunks >= kChunks);
  CHECK(verdict.records == kChunks * kRecords);
  CHECK(verdict.counts.global.loads == kChunks * kRecords * 32);
}

TEST_CASE("what is wrong with the chunks of a large trace is told in the order of the file") {
  test::TemporaryFile whole, bad;
  writeLargeTrace(whole.path());
  std::uint32_t lost = 0;
  rewrite(whole.path(), bad.path(), [&](Chunk &chunk) {
    if (chunk.sequence == 7 || chunk.sequence == 31) {
      ++chunk.hash;
      lost += chunk.records;
    }
    if (chunk.sequence == 20) {
      lost += chunk.records;
      ++chunk.records;
    }
  });
  const Verdict verdict = test::verdictOf(bad.path());
  REQUIRE(verdict.problems.size() > 3);
  const auto messageOf = [](const std::string &problem) {
    const std::size_t at = problem.find(": message ");
    REQUIRE(at != std::string::npos);
    return std::stoul(problem.substr(at + 10));
  };
  for (std::size_t i = 1; i < verdict.problems.size(); ++i)
    CHECK(messageOf(verdict.problems[i - 1]) <= messageOf(verdict.problems[i]));
  const std::size_t first = messageOf(verdict.problems[0]);
  CHECK(messageOf(verdict.problems[1]) == first + 13);
  CHECK(messageOf(verdict.problems[2]) == first + 24);
  CHECK(verdict.records == kChunks * kRecords - lost);
  CHECK_THAT(verdict.problems[3],
             Catch::Contains(" records, and the file has " + std::to_string(verdict.records)));
}

TEST_CASE("the limit of work ends a verification on several threads") {
  test::TemporaryFile file;
  writeLargeTrace(file.path());
  std::string error;
  const auto reader = Reader::open(file.path(), error);
  REQUIRE(reader);
  WorkLimit limit("a trace", 0);
  limit.spend(WorkLimit::kFreeSteps - 100'000, [] { return "what was before"; });
  CHECK_THROWS_AS(verify(*reader, &limit), TooMuch);
}

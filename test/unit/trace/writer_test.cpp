/// The writer's promises: order, reproducible chunks, counts, many threads, and honesty
/// about what is missing.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/reader.h"
#include "random_records.h"
#include "small_trace.h"
#include "verdict.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace cupr;
using namespace cupr::trace;

namespace {

template <typename T> std::vector<T> messagesOf(const std::string &path) {
  std::string error;
  auto reader = Reader::open(path, error);
  REQUIRE(reader);
  std::vector<T> found;
  Message message;
  while (reader->next(message) == ReadStatus::Message)
    if (auto *value = std::get_if<T>(&message))
      found.push_back(std::move(*value));
  return found;
}

} // namespace

TEST_CASE("pads are dropped and generations are set to 0") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  const auto id = trace.launch("k()", {1, 1, 1}, {32, 1, 1});
  abi::WarpAccess access{};
  access.laneMask = 1;
  access.sm = 5;
  access.address[0] = 0x1234;
  test::Words words;
  words.pad(1);
  words.add(access, 0xabcd);
  words.pad(4);
  words.add(access, 0xffff);
  trace.records(id, words);
  CHECK(trace.writer->recordWords(id) == 4);
  trace.end(id);
  CHECK(trace.writer->recordWords(id) == 4);
  CHECK(trace.writer->finish());
  const auto chunks = messagesOf<Chunk>(file.path());
  REQUIRE(chunks.size() == 1);
  CHECK(chunks[0].records == 2);
  std::vector<Word> out;
  REQUIRE(unpackChunk(chunks[0], out) == "");
  REQUIRE(out.size() == 4);
  for (const std::size_t word : {1, 3}) {
    std::uint32_t where;
    std::memcpy(&where, out[word].bytes + 12, sizeof where);
    CHECK(where == abi::packWhere(0, 5, 0));
  }
  CHECK(test::verdictOf(file.path()).problems.empty());
}

TEST_CASE("the same calls give the same bytes") {
  const auto write = [](const std::string &path) {
    test::TraceBuilder trace(path);
    trace.table(test::smallTable());
    const auto id = trace.launch("k()", {64, 1, 1}, {1024, 1, 1});
    for (std::uint32_t channel = 0; channel < 3; ++channel)
      for (unsigned turn = 0; turn < 4; ++turn) {
        std::uint32_t records = 0;
        const auto words = test::randomRecords(channel * 10 + turn, 2000, records);
        trace.writer->records(id, channel, words.data(), words.size());
      }
    trace.end(id);
    trace.writer->finish();
  };
  test::TemporaryFile first, second;
  write(first.path());
  write(second.path());
  CHECK(first.read() == second.read());
  CHECK(first.read().size() > 100000);
}

namespace {

/// Whether each channel's records, whose addresses count from 0 in the order in which they were delivered, lie in that order in the
/// trace's chunks; how many there are of each channel. Returns the number of chunks.
std::size_t requireOrder(const std::string &path, const std::vector<std::uint64_t> &records) {
  std::vector<std::uint64_t> seen(records.size(), 0);
  const auto chunks = messagesOf<Chunk>(path);
  for (const Chunk &chunk : chunks) {
    std::vector<Word> words;
    REQUIRE(unpackChunk(chunk, words) == "");
    CHECK(words.size() <= kChunkWords);
    const std::vector<ChannelShare> shares =
        chunk.shares.empty() ? std::vector<ChannelShare>{{chunk.channel, chunk.records}} : chunk.shares;
    CHECK(shares[0].channel == chunk.channel);
    abi::WarpAccess access;
    std::size_t at = 0;
    for (const ChannelShare &share : shares)
      for (std::uint32_t i = 0; i < share.records; ++i) {
        std::uint32_t size = 0;
        REQUIRE(abi::decodeRecord(words.data() + at, words.size() - at, access, size) ==
                abi::RecordStatus::Access);
        REQUIRE(access.address[0] == seen.at(share.channel)++);
        at += size;
      }
    CHECK(at == words.size());
  }
  CHECK(seen == records);
  return chunks.size();
}

} // namespace

TEST_CASE("records of a channel keep their order over many chunks") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  const auto id = trace.launch("k()", {1, 1, 1}, {32, 1, 1});
  std::vector<std::uint64_t> next(3, 0);
  for (std::uint64_t i = 0; i < 60000; ++i) {
    const std::uint32_t channel = i % 3;
    test::Words words;
    words.strided(0, 0, 0, next[channel]++, 4);
    trace.records(id, words, channel);
  }
  trace.end(id);
  CHECK(trace.writer->finish());
  CHECK(test::verdictOf(file.path()).problems.empty());
  CHECK(requireOrder(file.path(), {20000, 20000, 20000}) >= 6);
}

TEST_CASE("several threads may write what there is of their channels, at any time") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  const auto id = trace.launch("k()", {1, 1, 1}, {32, 1, 1});
  constexpr std::uint32_t kThreads = 4, kEach = 4, kChannels = kThreads * kEach, kRecords = 5000;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < kRecords; ++i)
        for (std::uint32_t channel = thread * kEach; channel < (thread + 1) * kEach; ++channel) {
          test::Words words;
          words.strided(0, 0, 0, i, 4);
          trace.records(id, words, channel);
          if ((i * kEach + channel) % 997 == 0)
            trace.writer->flushChannels(id, thread * kEach, (thread + 1) * kEach);
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  trace.writer->flushChannels(LaunchId{77}, 0, kChannels); // no launch: nothing
  trace.end(id);
  CHECK(trace.writer->finish());
  CHECK(test::verdictOf(file.path()).problems.empty());
  requireOrder(file.path(), std::vector<std::uint64_t>(kChannels, kRecords));
}

TEST_CASE("what is left of many channels shares a chunk") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  const auto id = trace.launch("k()", {128, 1, 1}, {32, 1, 1});
  for (std::uint32_t channel = 0; channel < 128; ++channel) {
    test::Words words;
    words.strided(0, channel, 0, 128 * channel, 4);
    words.strided(1, channel, 0, 256 * channel, 8);
    trace.records(id, words, channel);
  }
  trace.end(id);
  CHECK(trace.writer->finish());
  CHECK(test::verdictOf(file.path()).problems.empty());
  const auto chunks = messagesOf<Chunk>(file.path());
  REQUIRE(chunks.size() == 1);
  CHECK(chunks[0].records == 256);
  REQUIRE(chunks[0].shares.size() == 128);
  CHECK(chunks[0].shares[5] == ChannelShare{5, 2});
}

TEST_CASE("many threads, launches and channels at once: nothing is lost") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  std::vector<LaunchId> launches;
  for (int i = 0; i < 4; ++i)
    launches.push_back(trace.launch("k()", {64, 1, 1}, {1024, 1, 1}));
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uint32_t turn = 0; turn < 200; ++turn) {
        test::Words words;
        for (std::uint32_t i = 0; i < 50; ++i)
          words.strided(i % 3, turn % 64, i % 32, 0x1000 * i, 4);
        trace.records(launches[(thread + turn) % 4], words, thread);
        if (turn % 50 == 0)
          trace.writer->copy(Copy{});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const LaunchId id : launches)
    trace.end(id);
  CHECK(trace.writer->finish());
  const Verdict verdict = test::verdictOf(file.path());
  CHECK(verdict.problems == std::vector<std::string>{});
  CHECK(verdict.records == 8 * 200 * 50);
}

TEST_CASE("a launch whose announced words did not all arrive is incomplete") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  const auto id = trace.launch("k()", {1, 1, 1}, {32, 1, 1});
  test::Words words;
  words.strided(0, 0, 0, 0, 4);
  trace.records(id, words);
  LaunchEnd end;
  end.id = id;
  end.complete = true;
  end.recordWords = 6;
  trace.writer->launchEnd(end);
  trace.writer->finish();
  const auto ends = messagesOf<LaunchTotals>(file.path());
  REQUIRE(ends.size() == 1);
  CHECK_FALSE(ends[0].end.complete);
  CHECK(ends[0].end.reason == "6 words of records were announced and 2 arrived");
  const Verdict verdict = test::verdictOf(file.path());
  REQUIRE(verdict.problems.size() == 1);
  CHECK_THAT(verdict.problems[0], Catch::Contains("launch 1 (k()) is incomplete: 6 words"));
}

TEST_CASE("records that can't be read make the launch incomplete, not the program") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  const auto id = trace.launch("k()", {1, 1, 1}, {32, 1, 1});
  const std::vector<Word> rubbish(5, Word{{0xff, 0xff, 0xff, 0xff, 0xff}});
  trace.writer->records(id, 0, rubbish.data(), rubbish.size());
  trace.end(id);
  trace.writer->finish();
  const auto ends = messagesOf<LaunchTotals>(file.path());
  REQUIRE(ends.size() == 1);
  CHECK_FALSE(ends[0].end.complete);
  CHECK(ends[0].end.reason == "5 words of records could not be read");
}

TEST_CASE("a launch without an end keeps its records and is a problem") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.table(test::smallTable());
    const auto id = trace.launch("k()", {1, 1, 1}, {32, 1, 1});
    test::Words words;
    words.strided(0, 0, 0, 0, 4);
    trace.records(id, words);
    CHECK_FALSE(trace.writer->finish());
    CHECK_FALSE(trace.writer->finish());
  }
  CHECK(messagesOf<Chunk>(file.path()).size() == 1);
  const Verdict verdict = test::verdictOf(file.path());
  CHECK(verdict.records == 1);
  CHECK_FALSE(verdict.problems.empty());
}

TEST_CASE("a launch that is not traced needs no end") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  Launch launch;
  launch.id = LaunchId{1};
  launch.reason = "the filter leaves it out";
  trace.writer->launch(launch);
  CHECK(trace.writer->finish());
  const Verdict verdict = test::verdictOf(file.path());
  CHECK(verdict.problems == std::vector<std::string>{});
  CHECK(verdict.untraced == 1);
}

TEST_CASE("calls after the end of the trace do nothing") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  CHECK(trace.writer->finish());
  const std::string before = file.read();
  trace.table(test::smallTable());
  trace.launch("k()", {1, 1, 1}, {32, 1, 1});
  trace.allocate(1, 2);
  CHECK(trace.writer->finish());
  CHECK_FALSE(trace.writer->failed());
  CHECK(file.read() == before);
}

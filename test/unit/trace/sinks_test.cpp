/// The sinks that are not files: what a receiver gets and what lies in memory is what a file would hold.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/receiver.h"
#include "random_records.h"
#include "same_words.h"
#include "small_trace.h"
#include "stderr_capture.h"

#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <thread>

using namespace cupr;
using namespace cupr::trace;

namespace {

/// A launch whose records come by two threads, 40 runs for each channel.
void feedThreeLaunches(Writer &writer) {
  const ModuleId module = writer.module(test::smallTable().bytes());
  Launch launch;
  launch.id = LaunchId{7};
  launch.kernel = "k()";
  launch.grid = {4096, 1, 1};
  launch.block = {1024, 1, 1};
  launch.module = module;
  launch.traced = true;
  writer.launch(launch);
  std::vector<std::thread> threads;
  for (std::uint32_t channel = 0; channel < 2; ++channel)
    threads.emplace_back([&writer, channel] {
      for (unsigned turn = 0; turn < 40; ++turn) {
        test::Words words;
        words.pad(turn % 3 + 1);
        for (unsigned i = 0; i < 300; ++i)
          words.strided(i % 3, i, channel, 0x1000 * turn + i, 4, ~channel);
        writer.records(LaunchId{7}, channel, words.data(), words.size());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  LaunchEnd end;
  end.id = launch.id;
  end.complete = true;
  end.recordWords = writer.recordWords(launch.id);
  writer.launchEnd(end);
}

/// Keeps everything, by channel.
struct Collector final : RecordReceiver {
  void module(const Module &module) override { sites += module.sites.size(); }
  void launch(const Launch &launch) override { launches.push_back(launch.id); }
  void records(LaunchId launch, std::uint32_t channel, std::span<const Word> words) override {
    std::lock_guard lock(mutex);
    wrongLaunches += launch != LaunchId{7};
    std::vector<Word> &all = channels[channel];
    all.insert(all.end(), words.begin(), words.end());
  }
  void launchEnd(const LaunchTotals &totals) override { ends.push_back(totals); }

  std::mutex mutex;
  std::size_t sites = 0, wrongLaunches = 0;
  std::vector<LaunchId> launches;
  std::map<std::uint32_t, std::vector<Word>> channels;
  std::vector<LaunchTotals> ends;
};

} // namespace

TEST_CASE("a receiver gets the words that a trace would hold, in the order of their channels") {
  Collector collector;
  const auto writer = Writer::createCallback(collector, test::testProcess());
  const auto lines = test::stderrOf([&] {
    feedThreeLaunches(*writer);
    CHECK(writer->finish());
  });
  CHECK(lines.empty());
  CHECK(collector.sites == 3);
  CHECK(collector.launches == std::vector{LaunchId{7}});
  CHECK(collector.wrongLaunches == 0);
  REQUIRE(collector.ends.size() == 1);
  CHECK(collector.ends[0].records == 2 * 40 * 300);
  CHECK(collector.ends[0].end.complete);

  const auto memory = Writer::createMemory(test::testProcess());
  feedThreeLaunches(*memory);
  CHECK(memory->finish());
  std::string error;
  const auto reader = Reader::open(memory->path(), error);
  REQUIRE(reader);
  std::map<std::uint32_t, std::vector<Word>> channels;
  Message message;
  std::vector<Word> words;
  while (reader->next(message) == ReadStatus::Message)
    if (const auto *chunk = std::get_if<Chunk>(&message)) {
      REQUIRE(unpackChunk(*chunk, words) == "");
      const std::vector<ChannelShare> shares =
          chunk->shares.empty() ? std::vector<ChannelShare>{{chunk->channel, chunk->records}} : chunk->shares;
      std::size_t at = 0; // all records are of two words
      for (const ChannelShare &share : shares)
        for (std::uint32_t word = 0; word < 2 * share.records; ++word)
          channels[share.channel].push_back(words[at++]);
    }
  REQUIRE(channels.size() == 2);
  for (const std::uint32_t channel : {0u, 1u})
    CHECK(test::sameWords(channels[channel], collector.channels[channel]));
}

TEST_CASE("a trace in memory is the trace that a file would be") {
  // One thread, so that the bytes are the same.
  const auto write = [](Writer &writer) {
    const ModuleId module = writer.module(test::smallTable().bytes());
    Launch launch;
    launch.id = LaunchId{1};
    launch.module = module;
    launch.traced = true;
    writer.launch(launch);
    std::uint32_t records = 0;
    const auto words = test::randomRecords(4, 5000, records);
    writer.records(launch.id, 0, words.data(), words.size());
    LaunchEnd end;
    end.id = launch.id;
    writer.launchEnd(end);
    writer.finish();
  };
  test::TemporaryFile file;
  const auto toFile = Writer::create(file.path(), test::testProcess());
  const auto toMemory = Writer::createMemory(test::testProcess());
  write(*toFile);
  write(*toMemory);
  std::ifstream in(toMemory->path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  CHECK(bytes.size() > 10000);
  CHECK(bytes == file.read());
}

TEST_CASE("what a receiver throws does not get out, and is not hidden") {
  struct Thrower final : RecordReceiver {
    void records(LaunchId, std::uint32_t, std::span<const Word>) override { throw 1; }
  } thrower;
  const auto writer = Writer::createCallback(thrower, test::testProcess());
  feedThreeLaunches(*writer);
  CHECK(writer->failed());
  CHECK_FALSE(writer->finish());
}

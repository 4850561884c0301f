/// What the writer keeps within bounds: the file's size, its own memory, the time for compression.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/compression_level.h"
#include "hostlib/trace/reader.h"
#include "small_trace.h"
#include "stderr_capture.h"
#include "verdict.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <malloc.h>
#include <random>
#include <thread>

using namespace cupr;
using namespace cupr::trace;

namespace {

/// Records of random addresses, which pack badly: about 250 bytes each.
test::Words scattered(unsigned seed, unsigned records) {
  std::mt19937_64 random(seed);
  test::Words words;
  for (unsigned i = 0; i < records; ++i) {
    abi::WarpAccess access{};
    access.laneMask = 0xffffffffu;
    access.site = i % 3;
    for (std::uint64_t &address : access.address)
      address = random();
    words.add(access);
  }
  return words;
}

Launch tracedLaunch(std::uint64_t id, ModuleId module) {
  Launch launch;
  launch.id = LaunchId{id};
  launch.order = id;
  launch.kernel = "k()";
  launch.block = {32, 1, 1};
  launch.module = module;
  launch.traced = true;
  return launch;
}

} // namespace

TEST_CASE("a full trace gets no more records, says so once, and is right about what it has") {
  test::TemporaryFile file;
  constexpr std::uint64_t kLimit = 1'000'000;
  bool whole = true;
  std::uint64_t delivered = 0;
  const auto lines = test::stderrOf([&] {
    WriterOptions options;
    options.maxBytes = kLimit;
    const auto writer = Writer::create(file.path(), test::testProcess(), options);
    const ModuleId module = writer->module(test::smallTable().bytes());
    for (std::uint64_t id = 1; id <= 3; ++id) {
      Launch launch = tracedLaunch(id, module);
      if (writer->full()) { // as the session does
        launch.traced = false;
        launch.reason = writer->fullReason();
      }
      CHECK(launch.traced == (id == 1));
      writer->launch(launch);
      LaunchEnd end;
      end.id = launch.id;
      end.complete = true;
      if (launch.traced) {
        for (unsigned turn = 0; turn < 20; ++turn) {
          const test::Words words = scattered(turn, 1000);
          writer->records(launch.id, turn % 3, words.data(), words.size());
        }
        end.recordWords = delivered = writer->recordWords(launch.id);
      }
      writer->launchEnd(end);
    }
    CHECK_FALSE(writer->failed());
    CHECK(writer->totals().recordCounts.total().records == 20000);
    whole = writer->finish();
  });
  CHECK_FALSE(whole);
  CHECK(delivered == 20000 * 18);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] ==
        "cuprewrite: the size limit of 1000000 bytes is reached (CUPR_MAX_BYTES): the trace file '" +
            file.path() + "' gets no more records; the program goes on, launch 1 is incomplete\n");
  CHECK(std::filesystem::file_size(file.path()) < kLimit + 10'000); // the ends of launches and of the file
  const Verdict verdict = test::verdictOf(file.path());
  REQUIRE(verdict.problems.size() == 2);
  CHECK_THAT(verdict.problems[0],
             Catch::Contains("launch 1 (k()) is incomplete: the size limit of 1000000 bytes is reached"));
  CHECK_THAT(verdict.problems[1], Catch::Contains("the program could not write all of the trace"));
  CHECK(verdict.records > 1000);
  CHECK(verdict.records < 5000);
  CHECK(verdict.untraced == 2);
}

TEST_CASE("the memory of records that wait is bounded, however many launches and channels there are") {
  test::TemporaryFile file;
  constexpr std::uint64_t kLaunches = 16, kLanes = 64, kThreads = 4;
  constexpr std::uint64_t kBound = (64u << 20) + kThreads * kChunkWords * sizeof(Word);
  const auto inUse = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = inUse();
  const auto writer = Writer::create(file.path(), test::testProcess());
  const ModuleId module = writer->module(test::smallTable().bytes());
  for (std::uint64_t id = 1; id <= kLaunches; ++id)
    writer->launch(tracedLaunch(id, module));
  test::Words words;
  for (unsigned i = 0; i < 600; ++i)
    words.strided(i % 3, 0, 0, 0x1000 * i, 4);
  std::atomic<std::uint64_t> mostGathered{0}, mostUsed{0};
  const auto raise = [](std::atomic<std::uint64_t> &most, std::uint64_t value) {
    std::uint64_t now = most;
    while (now < value && !most.compare_exchange_weak(now, value)) {
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int turn = 0; turn < 2; ++turn)
        for (std::uint64_t id = 1; id <= kLaunches; ++id)
          for (std::uint32_t lane = 0; lane < kLanes; ++lane)
            if (lane % kThreads == thread) {
              writer->records(LaunchId{id}, lane, words.data(), words.size());
              raise(mostGathered, writer->gatheredBytes());
              raise(mostUsed, inUse());
            }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(mostGathered > 48u << 20); // or the test tests nothing: 1024 channels want 256 MiB
  CHECK(mostGathered <= kBound);
  if (before != 0) // sanitizers' allocators say nothing
    CHECK(mostUsed - before < kBound + (32u << 20));
  for (std::uint64_t id = 1; id <= kLaunches; ++id) {
    LaunchEnd end;
    end.id = LaunchId{id};
    end.complete = true;
    end.recordWords = 2 * kLanes * words.size();
    writer->launchEnd(end);
  }
  CHECK(writer->finish());
  CHECK(writer->gatheredBytes() <= kBound);
  const Verdict verdict = test::verdictOf(file.path());
  CHECK(verdict.problems == std::vector<std::string>{});
  CHECK(verdict.records == 2 * kLaunches * kLanes * 600);
}

TEST_CASE("threads that wait for records compress better, threads that are behind do not") {
  using namespace std::chrono_literals;
  CompressionLevel effort;
  CompressionLevel::Clock::time_point now(1h);
  const auto chunkAfter = [&](CompressionLevel::Clock::duration idle,
                              CompressionLevel::Clock::duration busy) {
    effort.come(now += idle);
    const int level = effort.level(now += busy);
    effort.go(now += 1ms);
    return level;
  };
  CHECK(chunkAfter(0ms, 1ms) == kFastLevel); // nothing is known yet
  CHECK(chunkAfter(0ms, 5ms) == kFastLevel);
  CHECK(chunkAfter(10ms, 5ms) == kFastLevel);
  CHECK(chunkAfter(50ms, 2ms) == kThoroughLevel);
  CHECK(chunkAfter(0ms, 2ms) == kFastLevel);
  for (int page = 0; page < 10; ++page) { // several visits before a chunk is due
    effort.come(now += 9ms);
    effort.go(now += 1ms);
  }
  CHECK(chunkAfter(0ms, 1ms) == kThoroughLevel);
}

TEST_CASE("a level that is set is kept to") {
  const auto sizeAt = [](int level) {
    test::TemporaryFile file;
    WriterOptions options;
    options.level = level;
    const auto writer = Writer::create(file.path(), test::testProcess(), options);
    const ModuleId module = writer->module(test::smallTable().bytes());
    writer->launch(tracedLaunch(1, module));
    test::Words words;
    std::mt19937 random(1);
    for (unsigned i = 0; i < 8000; ++i) // steps of a few sizes: what a good match finder likes
      words.strided(i % 3, 0, 0, 0x1000 + 4096 * (random() % 12), 4);
    writer->records(LaunchId{1}, 0, words.data(), words.size());
    LaunchEnd end;
    end.id = LaunchId{1};
    end.complete = true;
    end.recordWords = words.size();
    writer->launchEnd(end);
    CHECK(writer->finish());
    return std::filesystem::file_size(file.path());
  };
  CHECK(sizeAt(12) < sizeAt(1));
  CHECK(sizeAt(1) == sizeAt(1));
}

/// The threads that parse pages: one wake brings as many of them as there are lines, and none is ever missed.
#include "host_memory.h"
#include "hostlib/runtime/queue/page_parser.h"
#include "recording_writer.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace cupr::stress {
namespace {

constexpr std::uint64_t kLaunch = 1;

/// A page with one record.
struct OneRecord {
  trace::Word words[abi::kMaxRecordWords];
  std::uint32_t count;

  explicit OneRecord(std::uint64_t launch = kLaunch) {
    abi::WarpAccess access{};
    access.laneMask = 1;
    access.address[0] = 64;
    access.cta = abi::launchTag(launch);
    count = abi::encodeRecord(access, 0, words);
  }
  host::Page page(unsigned bin, std::uint64_t number) const {
    return {bin, number, words[0].bytes, count * abi::kWordBytes};
  }
};

/// Threads that are to be at the same place at the same time.
class WarpOperation {
public:
  /// Waits until `wanted` are there; no longer than half a minute.
  void come(unsigned wanted) {
    std::unique_lock lock(mutex_);
    ++here_;
    changed_.notify_all();
    isMissed_ |=
        !changed_.wait_for(lock, std::chrono::seconds(30), [&] { return here_ >= wanted || isMissed_; });
  }
  void startAgain() {
    const std::scoped_lock lock(mutex_);
    here_ = 0;
  }
  bool isMissed() {
    const std::scoped_lock lock(mutex_);
    return isMissed_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned here_ = 0;
  bool isMissed_ = false;
};

/// Waits until as many pages have been parsed.
class Done {
public:
  void one() {
    const std::scoped_lock lock(mutex_);
    ++pages_;
    changed_.notify_all();
  }
  bool reaches(unsigned pages) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return pages_ >= pages; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned pages_ = 0;
};

} // namespace

TEST_CASE("one wake brings all threads to the pages that have been given") {
  constexpr unsigned kThreads = 4, kRounds = kHasFences ? 400 : 100;
  const OneRecord record;
  WarpOperation meeting;
  Done done;
  RecordingWriter writer(kLaunch, 1, kThreads, [&] { meeting.come(kThreads); });
  host::PageParser parser(
      kThreads, kThreads, writer, [] { return kLaunch; }, [&](const host::Page &) { done.one(); });
  for (unsigned round = 0; round < kRounds && !meeting.isMissed(); ++round) {
    meeting.startAgain();
    for (unsigned bin = 0; bin < kThreads; ++bin)
      parser.page(record.page(bin, round));
    parser.wake();
    REQUIRE(done.reaches((round + 1) * kThreads));
  }
  CHECK_FALSE(meeting.isMissed());
  CHECK(writer.malformed == 0);
}

TEST_CASE("a page that is given while threads fall asleep is parsed") {
  constexpr unsigned kPages = kHasFences ? 20000 : 4000;
  const OneRecord record;
  Done done;
  RecordingWriter writer(kLaunch, 1, 2, [] {});
  host::PageParser parser(3, 2, writer, [] { return kLaunch; }, [&](const host::Page &) { done.one(); });
  for (unsigned number = 0; number < kPages; ++number) {
    parser.page(record.page(number % 2, number / 2));
    parser.wake();
    REQUIRE(done.reaches(number + 1));
  }
  CHECK(writer.received(kLaunch, 0).records == kPages / 2);
}

TEST_CASE("a launch has the evicted pages with records of its own, each once") {
  const OneRecord of1(1), of2(2);
  std::vector<trace::Word> both(of1.words, of1.words + of1.count);
  both.insert(both.end(), of2.words, of2.words + of2.count);
  both.insert(both.end(), of1.words, of1.words + of1.count);
  const auto page = [&](std::uint64_t number, bool isEvicted) {
    return host::Page{0, number, both[0].bytes, static_cast<std::uint32_t>(both.size() * abi::kWordBytes),
                      isEvicted};
  };
  Done done;
  RecordingWriter writer(1, 2, 1, [] {});
  host::PageParser parser(2, 1, writer, [] { return 2; }, [&](const host::Page &) { done.one(); });
  for (const host::Page &each : {page(0, true), page(1, false), page(2, true)})
    parser.page(each);
  host::Page alone = of2.page(0, 3);
  alone.isEvicted = true;
  parser.page(alone);
  parser.wake();
  REQUIRE(done.reaches(4));
  CHECK(parser.takeEvictedPages(trace::LaunchId{1}) == 2);
  CHECK(parser.takeEvictedPages(trace::LaunchId{2}) == 3);
  CHECK(parser.takeEvictedPages(trace::LaunchId{2}) == 0);
}

} // namespace cupr::stress

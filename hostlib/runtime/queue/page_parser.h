/// The threads that hand pages of records to the writer.
///
/// The pages of a bin keep their order: they stand in a line, which one thread at a time has. A line has a
/// home, the thread that usually serves it and so has its data at hand; a thread with nothing to do takes
/// lines from others' homes, since bins are never equally busy. What ends a launch is work as well, and goes
/// the same way.
///
/// Waking a thread is a system call, some microseconds on a virtual machine, and whoever gives the pages has but
/// two for each of them. So it wakes one thread for all the pages that it has given, and each thread that finds
/// more than it takes wakes the next.
#ifndef CUPR_RUNTIME_PAGE_PARSER_H
#define CUPR_RUNTIME_PAGE_PARSER_H

#include "hostlib/trace/writer.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace cupr::host {

/// A page in host memory.
struct Page {
  unsigned bin;
  std::uint64_t number;
  const unsigned char *words;
  std::uint32_t bytes;
  bool isEvicted = false; ///< a warp brought it, since copies were stuck
};

/// Threads: every member from any thread, `stop` once.
class PageParser {
public:
  /// `newest` is the highest number of a launch so far; `done` is told of each page that isn't needed any
  /// more.
  PageParser(unsigned threads, unsigned bins, trace::Writer &writer, std::function<std::uint64_t()> newest,
             std::function<void(const Page &)> done);
  ~PageParser() { stop(); }

  /// `page.bin` is below the number of bins. Pages lie until `wake` is called, or longer.
  void page(const Page &page);
  /// What has been given is looked at.
  void wake();
  /// How many evicted pages had records of the launch; asked once, when all its pages have been parsed.
  std::uint64_t takeEvictedPages(trace::LaunchId launch);
  unsigned threads() const { return static_cast<unsigned>(workers_.size()); }
  /// Runs `work` on one of the threads.
  void task(std::function<void()> work);
  /// Ends the threads when they have done all that they were given.
  void stop();

private:
  struct Worker;
  /// The pages of one bin. Guarded by the home's mutex.
  struct Line {
    Worker *home = nullptr;
    std::deque<Page> pages;
    bool isOut = false; ///< in the home's `ready`, or with a thread
  };
  /// One page of a line, or a task.
  struct Turn {
    Line *line = nullptr; ///< null: a task
    Page page{};
    std::function<void()> work;
  };
  struct Worker {
    std::mutex mutex;
    std::deque<Turn> ready;
    std::thread thread;
  };

  void putReady(Worker &worker, Turn turn);
  std::optional<Turn> next(std::size_t own);
  void handBack(Line &line);
  void run(std::size_t own);
  void parse(const Page &page);
  void noteEvicted(const std::set<trace::LaunchId> &launches);

  trace::Writer &writer_;
  const std::function<std::uint64_t()> newest_;
  const std::function<void(const Page &)> done_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Line> lines_; ///< by bin
  std::atomic<std::size_t> tasks_{0};

  std::mutex evictedMutex_;
  std::map<trace::LaunchId, std::uint64_t> evicted_; ///< pages; few launches have any

  // Who finds nothing sleeps until something has been announced since it began to look.
  std::atomic<std::uint64_t> announced_{0};
  std::atomic<std::int64_t> ready_{0}; ///< turns that nobody has taken yet
  std::atomic<bool> stopping_{false};
  std::mutex sleepMutex_;
  std::condition_variable wake_;
  // Written under the mutex.
  std::atomic<unsigned> sleeping_{0};
  std::atomic<bool> waking_{false}; ///< one of those that sleep has been woken and does not run yet
};

} // namespace cupr::host

#endif

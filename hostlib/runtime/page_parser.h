/// The threads that hand pages of records to the writer.
///
/// Each has a queue of its own and a share of the bins, so that the pages of a bin keep their order. What
/// ends a launch goes the same way, behind the pages, since writing its last records is work as well.
#ifndef CUPR_RUNTIME_PAGE_PARSER_H
#define CUPR_RUNTIME_PAGE_PARSER_H

#include "hostlib/trace/writer.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cupr::host {

/// A page in host memory.
struct Page {
  unsigned bin;
  std::uint64_t number;
  const unsigned char *words;
  std::uint32_t bytes;
};

/// Threads: every member from any thread, `stop` once.
class PageParser {
public:
  /// `newest` is the highest number of a launch so far; `done` is told of each page that isn't needed any
  /// more.
  PageParser(unsigned threads, trace::Writer &writer, std::function<std::uint64_t()> newest,
             std::function<void(const Page &)> done);
  ~PageParser() { stop(); }

  void page(const Page &page);
  /// Runs `work` behind the pages that have been given for `key`'s thread.
  void task(std::uint64_t key, std::function<void()> work);
  /// Ends the threads when they have done all that they were given.
  void stop();

private:
  struct Job {
    Page page;
    std::function<void()> work; ///< empty: it is a page
  };
  struct Worker {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<Job> jobs;
    bool stopping = false;
    std::thread thread;
  };
  void give(std::uint64_t key, Job job);
  void run(Worker &worker);
  void parse(const Page &page);

  trace::Writer &writer_;
  const std::function<std::uint64_t()> newest_;
  const std::function<void(const Page &)> done_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace cupr::host

#endif

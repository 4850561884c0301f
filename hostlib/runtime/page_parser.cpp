#include "page_parser.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <cstring>

namespace cupr::host {

PageParser::PageParser(unsigned threads, trace::Writer &writer, std::function<std::uint64_t()> newest,
                       std::function<void(const Page &)> done)
    : writer_(writer), newest_(std::move(newest)), done_(std::move(done)) {
  for (unsigned i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>());
  for (const auto &worker : workers_)
    worker->thread = std::thread([this, raw = worker.get()] { run(*raw); });
}

void PageParser::give(std::uint64_t key, Job job) {
  Worker &worker = *workers_[key % workers_.size()];
  {
    const std::scoped_lock lock(worker.mutex);
    worker.jobs.push_back(std::move(job));
  }
  worker.wake.notify_one();
}

void PageParser::page(const Page &page) { give(page.bin, {page, {}}); }

void PageParser::task(std::uint64_t key, std::function<void()> work) { give(key, {{}, std::move(work)}); }

void PageParser::stop() {
  for (const auto &worker : workers_) {
    {
      const std::scoped_lock lock(worker->mutex);
      worker->stopping = true;
    }
    worker->wake.notify_one();
  }
  for (const auto &worker : workers_)
    if (worker->thread.joinable())
      worker->thread.join();
}

void PageParser::run(Worker &worker) {
  std::unique_lock lock(worker.mutex);
  while (true) {
    worker.wake.wait(lock, [&] { return worker.stopping || !worker.jobs.empty(); });
    if (worker.jobs.empty())
      return;
    const Job job = std::move(worker.jobs.front());
    worker.jobs.pop_front();
    lock.unlock();
    if (job.work) {
      job.work();
    } else {
      parse(job.page);
      done_(job.page);
    }
    lock.lock();
  }
}

/// Splits the page into runs of one launch.
void PageParser::parse(const Page &page) {
  const std::size_t count = page.bytes / abi::kWordBytes;
  const std::uint64_t newest = newest_();
  for (std::size_t at = 0; at < count;) {
    const unsigned char *const words = page.words + at * abi::kWordBytes;
    abi::FollowRecord first; // of any form
    std::memcpy(&first, words, sizeof first);
    if (first.siteAndForm >> abi::kSiteBits == static_cast<std::uint32_t>(abi::RecordForm::Pad)) {
      at += std::max(first.shape, 1u); // where its length stands
      continue;
    }
    const std::uint64_t tag = first.base >> abi::kCtaBits; // where the CTA stands
    // Fewer launches than there are tags are open, so the newest with this tag is the one.
    const std::uint64_t launch = newest - (newest - tag) % abi::kLaunchTags;
    at += writer_.records(trace::LaunchId{launch}, page.bin, words, count - at, tag);
  }
}

} // namespace cupr::host

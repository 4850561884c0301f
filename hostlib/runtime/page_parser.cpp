#include "page_parser.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <cstring>

namespace cupr::host {
namespace {

/// Room for the records of the largest page when each Follow record in it has been made whole.
constexpr std::size_t kMaxWholeWords = 2 * (std::size_t{1} << 20) / abi::kWordBytes;

/// The words of the record or pad at `words`, of which `available` are there; at least 1.
std::size_t lengthOf(const abi::RecordHead &head, std::size_t available) {
  const auto form = static_cast<abi::RecordForm>(head.siteAndForm >> abi::kSiteBits);
  const std::size_t length =
      form == abi::RecordForm::Pad ? head.laneMask : abi::recordWords(form, abi::activeLanes(head.laneMask));
  return length == 0 || length > available ? available : length;
}

} // namespace

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

/// Splits the page into runs of one launch, and makes Follow records whole.
void PageParser::parse(const Page &page) {
  thread_local std::vector<unsigned char> whole(kMaxWholeWords * abi::kWordBytes);
  const std::size_t count = page.bytes / abi::kWordBytes;
  const std::uint64_t newest = newest_();
  std::uint64_t tag = 0;
  abi::RecordHead last{};
  unsigned char *out = whole.data();
  const auto handOn = [&] {
    // Fewer launches than there are tags are open, so the newest with this tag is the one.
    const std::uint64_t launch = newest - (newest - tag) % abi::kLaunchTags;
    if (out != whole.data())
      writer_.records(trace::LaunchId{launch}, page.bin, whole.data(),
                      static_cast<std::size_t>(out - whole.data()) / abi::kWordBytes);
    out = whole.data();
  };
  for (std::size_t at = 0; at < count;) {
    const unsigned char *const words = page.words + at * abi::kWordBytes;
    abi::FollowRecord first; // of any form
    std::memcpy(&first, words, sizeof first);
    if (abi::isFollow(first.siteAndForm)) {
      const abi::RecordHead head = abi::followed(last, first);
      std::memcpy(out, &head, sizeof head);
      out += sizeof head;
      ++at;
      continue;
    }
    abi::RecordHead head{};
    std::memcpy(&head, words, std::min(sizeof head, (count - at) * abi::kWordBytes));
    const std::size_t length = lengthOf(head, count - at);
    at += length;
    if (head.siteAndForm >> abi::kSiteBits == static_cast<std::uint32_t>(abi::RecordForm::Pad))
      continue;
    if (head.cta >> abi::kCtaBits != tag) {
      handOn();
      tag = head.cta >> abi::kCtaBits;
    }
    std::memcpy(out, words, length * abi::kWordBytes);
    out += length * abi::kWordBytes;
    last = head;
  }
  handOn();
}

} // namespace cupr::host

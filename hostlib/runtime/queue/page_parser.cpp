#include "page_parser.h"

#include "devicelib/abi/record_head.h"
#include "hostlib/runtime/driver/own_thread.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace cupr::host {

PageParser::PageParser(unsigned threads, unsigned bins, trace::Writer &writer,
                       std::function<std::uint64_t()> newest, std::function<void(const Page &)> done)
    : writer_(writer), newest_(std::move(newest)), done_(std::move(done)), lines_(bins) {
  for (unsigned i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>());
  for (std::size_t bin = 0; bin < lines_.size(); ++bin)
    lines_[bin].home = workers_[bin % threads].get();
  for (std::size_t own = 0; own < workers_.size(); ++own)
    workers_[own]->thread = std::thread([this, own] { run(own); });
}

void PageParser::page(const Page &page) {
  assert(page.bin < lines_.size() && "each bin has its line");
  Line &line = lines_[page.bin];
  const std::scoped_lock lock(line.home->mutex);
  line.pages.push_back(page);
  if (line.isOut)
    return;
  line.isOut = true;
  putReady(*line.home, {&line, {}, {}});
}

void PageParser::task(std::function<void()> work) {
  Worker &worker = *workers_[tasks_++ % workers_.size()];
  {
    const std::scoped_lock lock(worker.mutex);
    putReady(worker, {nullptr, {}, std::move(work)});
  }
  wake();
}

/// With the worker's mutex. Who is about to sleep sees the count, and stays awake.
void PageParser::putReady(Worker &worker, Turn turn) {
  worker.ready.push_back(std::move(turn));
  ++ready_;
  ++announced_;
}

/// Whoever is woken looks for work only then; until it does, waking another would be for nothing.
void PageParser::wake() {
  if (sleeping_ == 0 || waking_)
    return;
  {
    const std::scoped_lock lock(sleepMutex_);
    if (sleeping_ == 0 || waking_)
      return;
    waking_ = true;
  }
  wake_.notify_one();
}

void PageParser::stop() {
  {
    const std::scoped_lock lock(sleepMutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (const auto &worker : workers_)
    if (worker->thread.joinable())
      worker->thread.join();
}

/// What is ready: the thread's own first, then the others'.
std::optional<PageParser::Turn> PageParser::next(std::size_t own) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker &worker = *workers_[(own + i) % workers_.size()];
    const std::scoped_lock lock(worker.mutex);
    if (worker.ready.empty())
      continue;
    Turn turn = std::move(worker.ready.front());
    worker.ready.pop_front();
    --ready_;
    if (turn.line) {
      turn.page = turn.line->pages.front();
      turn.line->pages.pop_front();
    }
    return turn;
  }
  return std::nullopt;
}

/// If there is more in the line, this thread or another takes it.
void PageParser::handBack(Line &line) {
  const std::scoped_lock lock(line.home->mutex);
  line.isOut = !line.pages.empty();
  if (line.isOut)
    putReady(*line.home, {&line, {}, {}});
}

void PageParser::run(std::size_t own) {
  const OwnThread ownThread;
  while (true) {
    const std::uint64_t seen = announced_;
    // Asked before looking: what was given before the end is found.
    const bool isStopping = stopping_;
    if (const std::optional<Turn> turn = next(own)) {
      if (ready_ > 0)
        wake();
      if (turn->line) {
        parse(turn->page);
        done_(turn->page);
        handBack(*turn->line);
      } else {
        turn->work();
      }
      continue;
    }
    if (isStopping)
      return;
    std::unique_lock lock(sleepMutex_);
    ++sleeping_;
    wake_.wait(lock, [&] { return stopping_ || waking_ || announced_ != seen; });
    --sleeping_;
    waking_ = false;
  }
}

/// Splits the page into runs of one launch.
void PageParser::parse(const Page &page) {
  const std::size_t count = page.bytes / abi::kWordBytes;
  const std::uint64_t newest = newest_();
  std::set<trace::LaunchId> evicted;
  for (std::size_t at = 0; at < count;) {
    const unsigned char *const words = page.words + at * abi::kWordBytes;
    abi::FirstWord first;
    std::memcpy(&first, words, sizeof first);
    if (abi::isPad(first.siteAndForm)) {
      at += std::max(first.lanes, 1u);
      continue;
    }
    const std::uint64_t tag = abi::tagOf(first.place);
    // Fewer launches than there are tags are open, so the newest with this tag is the one.
    const trace::LaunchId launch{newest - (newest - tag) % abi::kLaunchTags};
    at += writer_.records(launch, page.bin, words, count - at, tag);
    if (page.isEvicted)
      evicted.insert(launch);
  }
  if (!evicted.empty())
    noteEvicted(evicted);
}

void PageParser::noteEvicted(const std::set<trace::LaunchId> &launches) {
  const std::scoped_lock lock(evictedMutex_);
  for (const trace::LaunchId launch : launches)
    ++evicted_[launch];
}

std::uint64_t PageParser::takeEvictedPages(trace::LaunchId launch) {
  const std::scoped_lock lock(evictedMutex_);
  const auto pages = evicted_.extract(launch);
  return pages ? pages.mapped() : 0;
}

} // namespace cupr::host

#include "chunk_checks.h"

#include <system_error>
#include <utility>

namespace cupr::trace {

ChunkChecks::ChunkChecks(unsigned helpers) {
  try {
    for (unsigned i = 0; i < helpers; ++i)
      helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error &) { // the system gives no more: fewer do it
  }
}

ChunkChecks::~ChunkChecks() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  added_.notify_all();
  for (std::thread &helper : helpers_)
    helper.join();
}

void ChunkChecks::check(Chunk chunk, const Launch &launch, std::span<const Site> sites,
                        std::function<void(Result &)> done) {
  auto job = std::make_unique<Job>();
  job->chunk = std::move(chunk);
  job->launch = &launch;
  job->sites = sites;
  job->done = std::move(done);
  add(std::move(job));
}

void ChunkChecks::then(std::function<void()> done) {
  auto job = std::make_unique<Job>();
  job->done = [done = std::move(done)](Result &) { done(); };
  job->isReady = true;
  add(std::move(job));
}

void ChunkChecks::add(std::unique_ptr<Job> job) {
  Job &added = *job;
  line_.push_back(std::move(job));
  if (helpers_.empty())
    return finish();
  if (added.launch) {
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(&added);
    }
    added_.notify_one();
  }
  const auto isReady = [&](const Job &first) {
    const std::scoped_lock lock(mutex_);
    return first.isReady;
  };
  while (!line_.empty() && (line_.size() > kWindow * (helpers_.size() + 1) || isReady(*line_.front())))
    settleFirst();
}

void ChunkChecks::finish() {
  while (!line_.empty())
    settleFirst();
}

void ChunkChecks::run(Job &job) {
  try {
    static thread_local std::vector<Word> words;
    job.result.rule = unpackChunk(job.chunk, words);
    if (job.result.rule.empty())
      job.result.rule =
          recount(job.chunk, words, *job.launch, job.sites, job.result.totals, &job.result.bySite);
    job.chunk = {};
  } catch (...) {
    job.failure = std::current_exception();
  }
  {
    const std::scoped_lock lock(mutex_);
    job.isReady = true;
  }
  ready_.notify_one();
}

/// Null: there is none.
ChunkChecks::Job *ChunkChecks::takeWaiting() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty())
    return nullptr;
  Job *const job = waiting_.front();
  waiting_.pop_front();
  return job;
}

/// Takes the first of the line when it is ready, and helps until then.
void ChunkChecks::settleFirst() {
  Job &first = *line_.front();
  if (helpers_.empty() && first.launch)
    run(first);
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      if (first.isReady)
        break;
    }
    if (Job *const job = takeWaiting()) {
      run(*job);
      continue;
    }
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return first.isReady; });
  }
  const std::unique_ptr<Job> job = std::move(line_.front());
  line_.pop_front();
  if (job->failure)
    std::rethrow_exception(job->failure);
  job->done(job->result);
}

void ChunkChecks::help() {
  for (;;) {
    Job *job = nullptr;
    {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_)
        return;
      job = waiting_.front();
      waiting_.pop_front();
    }
    run(*job);
  }
}

} // namespace cupr::trace

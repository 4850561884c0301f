#include "thread_calls.h"

#include "devicelib/abi/thread_owned.h"
#include "hostlib/runtime/driver/in_runtime.h"

namespace cupr::host {
namespace {

/// So many calls, or orders of what they did (a graph's launch has one for each node), are written together.
constexpr std::size_t kBatch = 4096;

} // namespace

ThreadCalls &ThreadCalls::ofThread() { return abi::ThreadOwned<ThreadCalls>::get(); }

ThreadCalls::~ThreadCalls() {
  if (!log_ || !log_->isOfThisProcess())
    return;
  const InRuntime inRuntime;
  log_->remove(*this);
}

HostLog *ThreadCalls::log() {
  HostLog *const current = HostLog::current();
  if (current && current != log_) {
    calls_.clear();
    acts_.clear();
    finder_.emplace(current->tree());
    log_ = current; // who ends the log asks for it as soon as the thread is known there
    current->add(*this, number_);
  }
  return current;
}

void ThreadCalls::begin(const char *hook, const Registers &caller) noexcept {
  if (depth_++ != 0)
    return;
  isNoted_ = false;
  if (!HostLog::current())
    return;
  const InRuntime inRuntime;
  try {
    if (HostLog *const told = log()) {
      open_ = {hook, finder_->pathOf(caller), told->now(), 0, 0};
      isNoted_ = true;
    }
  } catch (...) {
    if (HostLog *const told = HostLog::current())
      told->lose();
  }
}

void ThreadCalls::end() noexcept {
  if (--depth_ != 0 || !isNoted_ || log_ != HostLog::current())
    return;
  const InRuntime inRuntime;
  const std::scoped_lock lock(mutex_);
  try {
    open_.ended = log_->now();
    open_.actsEnd = acts_.size();
    calls_.push_back(open_);
    if (calls_.size() >= kBatch || acts_.size() >= kBatch)
      log_->write(number_, calls_, acts_);
  } catch (...) {
    acts_.resize(calls_.empty()
                     ? 0
                     : calls_.back().actsEnd); // what the call did that could not be noted is no other call's
    log_->lose();
  }
}

void ThreadCalls::act(std::uint64_t order) noexcept {
  if (depth_ == 0 || !isNoted_)
    return;
  try {
    const std::scoped_lock lock(mutex_);
    acts_.push_back(order);
  } catch (...) {
    log_->lose();
  }
}

void ThreadCalls::flush() {
  const std::scoped_lock lock(mutex_);
  log_->write(number_, calls_, acts_);
}

} // namespace cupr::host

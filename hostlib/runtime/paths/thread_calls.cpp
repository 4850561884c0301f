#include "thread_calls.h"

#include "devicelib/abi/thread_owned.h"
#include "host_accesses.h"
#include "hostlib/runtime/driver/in_runtime.h"

#include <utility>

namespace cupr::host {

ThreadCalls &ThreadCalls::ofThread() { return abi::ThreadOwned<ThreadCalls>::get(); }

ThreadCalls::~ThreadCalls() {
  if (!log_ || !log_->isOfThisProcess())
    return;
  const InRuntime inRuntime;
  log_->remove(*channel_);
}

HostLog *ThreadCalls::log() {
  HostLog *const current = HostLog::current();
  if (current && current != log_) {
    finder_.emplace(current->tree());
    channel_ = &current->add();
    log_ = current;
  }
  return current;
}

void ThreadCalls::begin(const char *hook, const Registers &caller) noexcept {
  if (depth_++ != 0)
    return;
  isNoted_ = false;
  leftOut_ = 0;
  if (!HostLog::current())
    return;
  if (HostAccesses *const accesses = HostAccesses::current(); accesses && accesses->hasRows())
    collect(*accesses);
  const InRuntime inRuntime;
  try {
    if (HostLog *const told = log()) {
      open_ = {hook, told->now(), 0, finder_->pathOf(caller)};
      isNoted_ = true;
    }
  } catch (...) {
    if (HostLog *const told = HostLog::current())
      told->lose();
  }
}

/// What the host has accessed so far is written before what the call does.
void ThreadCalls::collect(HostAccesses &accesses) noexcept {
  const InRuntime inRuntime;
  try {
    accesses.collect();
  } catch (...) {
    if (HostLog *const told = HostLog::current())
      told->lose();
  }
}

void ThreadCalls::end() noexcept {
  if (--depth_ != 0)
    return;
  if (isNoted_ && log_ == HostLog::current()) {
    const InRuntime inRuntime;
    open_.ended = log_->now() - leftOut_;
    log_->push(*channel_, open_);
  }
  if (std::exchange(touches_, false))
    if (void (*const touched)() = whenTouched.load(std::memory_order_relaxed))
      touched();
}

void ThreadCalls::dropped(const FailedCall &call, const Registers &caller) noexcept {
  if (!HostLog::current())
    return;
  const InRuntime inRuntime;
  try {
    if (HostLog *const told = log())
      told->failures().dropped(call, finder_->pathOf(caller));
  } catch (...) {
    if (HostLog *const told = HostLog::current())
      told->lose();
  }
}

void ThreadCalls::act(std::uint64_t order) noexcept {
  if (depth_ != 0 && isNoted_ && log_ == HostLog::current())
    log_->push(*channel_, {nullptr, order, 0, 0});
}

} // namespace cupr::host

#include "context_queues.h"

#include "hostlib/runtime/driver/signals_to_others.h"

#include <vector>

namespace cupr::host {

DeviceQueue *ContextQueues::ofCurrentContext(std::string &reason) {
  const Driver &driver = *Driver::get();
  CUcontext context = nullptr;
  driver.cuCtxGetCurrent(&context);
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<DeviceQueue> &queue = queues_[context];
  if (!queue) {
    const SignalsToOthers
        signals; // which its threads could not wait for: the end of the process waits for them
    queue =
        DeviceQueue::create(driver, settings_, writer_, snapshots_, [this] { return events_.now(); }, reason);
  }
  return queue.get();
}

bool ContextQueues::isBusy() {
  const Driver *const driver = Driver::get();
  if (!driver)
    return false; // and nothing has been launched
  CUcontext context = nullptr;
  driver->cuCtxGetCurrent(&context);
  const std::scoped_lock lock(mutex_);
  const auto found = queues_.find(context);
  return found != queues_.end() && found->second && found->second->isBusy();
}

void ContextQueues::flush() {
  std::vector<DeviceQueue *> queues;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto &[context, queue] : queues_)
      if (queue)
        queues.push_back(queue.get());
  }
  for (DeviceQueue *const queue : queues)
    queue->flush();
}

void ContextQueues::finishAll() {
  for (const auto &[context, queue] : queues_)
    if (queue)
      queue->finish();
}

void ContextQueues::finish() {
  const std::scoped_lock lock(mutex_);
  finishAll();
}

void ContextQueues::release() {
  const std::scoped_lock lock(mutex_);
  finishAll();
  queues_.clear();
}

} // namespace cupr::host

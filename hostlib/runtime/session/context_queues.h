/// The queues of a GPU's contexts: each context that traces a launch has one from then on.
///
/// A queue that could not be made, for want of memory, is tried again with the next launch.
///
/// Threads: all members from any thread. Finishing queues waits for their launches, with the lock: a launch that needs a
/// queue meanwhile waits, too.
#ifndef CUPR_RUNTIME_CONTEXT_QUEUES_H
#define CUPR_RUNTIME_CONTEXT_QUEUES_H

#include "event_log.h"
#include "hostlib/runtime/queue/device_queue.h"
#include "hostlib/runtime/settings/settings.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace cupr::host {

class ContextQueues {
public:
  /// All four must live as long as the queues; the events are where the time comes from.
  ContextQueues(const Settings &settings, trace::Writer &writer, SnapshotStore &snapshots,
                const EventLog &events)
      : settings_(settings), writer_(writer), snapshots_(snapshots), events_(events) {}

  /// That of the current context; null, and why, when there is none.
  DeviceQueue *ofCurrentContext(std::string &reason);
  /// Whether a launch of the current context has not ended.
  bool isBusy();
  /// Waits until what has been launched so far is over and its records are with the writer.
  void flush();
  /// The same for good: what a queue gets from now on is not waited for. Idempotent.
  void finish();
  /// The same, and drops the queues, whose contexts are about to go.
  void release();

private:
  /// With the mutex.
  void finishAll();

  const Settings &settings_;
  trace::Writer &writer_;
  SnapshotStore &snapshots_;
  const EventLog &events_;
  std::mutex mutex_;
  std::map<CUcontext, std::unique_ptr<DeviceQueue>> queues_; ///< null: there was no memory
};

} // namespace cupr::host

#endif

/// What the host does, as it goes to the trace: allocations and their ends, copies, sets, synchronisations and
/// launches, each with its order and its time.
///
/// *Order*: a number that no two of these share, from 1, in the order of the host's calls. *Time*: nanoseconds since the
/// process's start time. Launches have numbers of their own, too, from 1, in the order in which they are announced,
/// without gaps.
///
/// *Found memory* is what no call has told of: made by code that was not rebuilt (a library with a runtime of its
/// own), or by the driver's calls. The program hands it to its kernels all the same: what is a device address among a
/// traced launch's arguments, in structures too, and lies in nothing known, is looked up in the driver. What kernels
/// reach only through memory is not found so. Nobody tells when such memory is freed: it is looked up again at each
/// launch that gets it, and is gone when something else begins where it lay.
///
/// Calls on a stream that is being captured are no events: what they ask for is done when the graph is launched.
///
/// Threads: all members from any thread. The lock that numbers launches may be held when the memory map's is taken,
/// never the other way round.
#ifndef CUPR_RUNTIME_EVENT_LOG_H
#define CUPR_RUNTIME_EVENT_LOG_H

#include "copied_contents.h"
#include "devicelib/abi/declared_variables.h"
#include "hostlib/runtime/driver/wall_time.h"
#include "hostlib/runtime/kernels/allocation_site.h"
#include "hostlib/runtime/paths/host_accesses.h"
#include "hostlib/runtime/paths/thread_calls.h"
#include "hostlib/trace/writer.h"
#include "memory_map.h"
#include "streams.h"

#include <atomic>
#include <cuda_runtime_api.h>
#include <mutex>
#include <string>

namespace cupr::host {

struct GraphTransfer;

class EventLog {
public:
  /// `startTime`: as in trace::Process. The writer must live as long as the log.
  EventLog(trace::Writer &writer, DeviceKind device, std::uint64_t startTime)
      : writer_(writer), device_(device), streams_(device), startTime_(startTime) {}

  /// The order of the latest act; 0: there is none.
  const std::atomic<std::uint64_t> &latestOrder() const { return order_; }
  /// Told from now on of memory and of what runs; null: nobody. It outlives the log.
  void tell(HostAccesses *accesses) { accesses_ = accesses; }
  HostAccesses *accesses() const { return accesses_; }
  /// Nanoseconds since the start time.
  std::uint64_t now() const { return wallTime() - startTime_; }
  const Streams &streams() const { return streams_; }

  /// `site`: what the source says of the call.
  void allocated(trace::MemoryKind kind, const char *call, const void *address, std::size_t bytes,
                 const AllocationSite &site = {});
  /// A variable of a module lies there; said once for each address. `name`: mangled.
  void declared(trace::MemoryKind kind, const char *call, const void *address, std::size_t bytes,
                const std::string &name, const abi::Declaration &declaration = {});
  /// Nothing happens where nothing was allocated.
  void freed(const char *call, const void *address);
  /// The call was to free what begins there, and has answered that it is nothing that it could.
  void notFreed(const char *call, const void *address);
  /// As freed(), for all that begins in this range.
  void freedWithin(const char *call, const void *address, std::size_t bytes);
  /// What a reset of the current device takes along: its memory, but for variables, which come back with their modules.
  std::vector<const void *> memoryOfDevice() const;
  /// Announces found memory that this argument of a kernel holds an address of. Before the launch is announced.
  void findMemory(const void *argument, std::size_t bytes);
  /// What is allocated now.
  const MemoryMap &memory() const { return memory_; }
  /// In a child of fork: takes over what the parent had allocated.
  void inherit(const EventLog &parent);

  /// An object that kernels fetch by was made or destroyed.
  void imageObject(trace::ImageObject object);
  void copied(trace::Copy copy, cudaMemcpyKind kind, cudaStream_t stream);
  void wasSet(trace::Set set, cudaStream_t stream);
  /// A node of a graph has been reached that copies or sets.
  void transferred(const GraphTransfer &transfer, cudaStream_t stream, const trace::GraphPlace &place);
  void synchronised(trace::Synchronisation::Kind kind, cudaStream_t stream, std::uint64_t event);

  /// The number of another launch of a graph.
  std::uint64_t nextGraphLaunch() { return ++graphLaunches_; }
  /// Gives the launch its number and its order, and announces it.
  void launched(trace::Launch &launch);
  /// The same of one that is not traced, and over: `end` says when it ran.
  void launchedAndEnded(trace::Launch &launch, trace::LaunchEnd &end);
  /// The same as `launched` in two steps, for a launch that is made in between.
  void numberLaunch(trace::Launch &launch);
  void announceNumbered(const trace::Launch &launch);

  /// While there is one, nobody else's launches are numbered.
  class LaunchSeries {
  public:
    explicit LaunchSeries(EventLog &log) : log_(log), lock_(log.launchMutex_) {}
    void launched(trace::Launch &launch);
    void number(trace::Launch &launch);

  private:
    EventLog &log_;
    const std::scoped_lock<std::mutex> lock_;
  };

private:
  void writeFree(const char *call, const void *address);
  /// The number of what the calling thread's call does now.
  std::uint64_t nextOrder() {
    const std::uint64_t order = ++order_;
    ThreadCalls::ofThread().act(order);
    return order;
  }
  template <typename Event> void stamp(Event &event) {
    event.order = nextOrder();
    event.time = now();
  }
  void announce(trace::MemoryKind kind, const char *call, std::uint64_t address, std::size_t bytes,
                const AllocationSite &site);
  void put(trace::MemoryKind kind, const char *call, std::uint64_t address, std::size_t bytes, bool isFound,
           const AllocationSite &site);
  void findMemoryAt(std::uint64_t address);
  /// What was found once and meets this range is freed.
  void dropOutdated(std::uint64_t address, std::uint64_t bytes);

  /// Says of a copy from the host, once it is done, whether it brought what was there.
  void compare(trace::Copy &copy);

  void begun(std::uint64_t stream) {
    if (accesses_)
      accesses_->begun(stream);
  }
  void tellOfCopy(const trace::Copy &copy);

  trace::Writer &writer_;
  HostAccesses *accesses_ = nullptr;
  const DeviceKind device_;
  const Streams streams_;
  const std::uint64_t startTime_;
  MemoryMap memory_;
  CopiedContents contents_;
  // Counters that nothing else is published by.
  std::atomic<std::uint64_t> order_{0};
  std::atomic<std::uint64_t> graphLaunches_{0};
  std::mutex launchMutex_; ///< numbers launches; those of one graph in a row
  std::uint64_t launches_ = 0;
};

} // namespace cupr::host

#endif

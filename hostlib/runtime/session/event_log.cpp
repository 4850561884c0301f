#include "event_log.h"

#include "devicelib/abi/source_name.h"
#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/driver/in_runtime.h"
#include "hostlib/runtime/driver/pointer_info.h"
#include "hostlib/runtime/graphs/graph_transfer.h"

#include <cassert>
#include <cstring>
#include <string_view>
#include <utility>

namespace cupr::host {
namespace {

/// No allocation lies below: most numbers among arguments are small.
constexpr std::uint64_t kLowest = std::uint64_t{1} << 20;

trace::MemoryKind kindOf(const Driver &driver, CUdeviceptr address) {
  const PointerInfo info = pointerInfo(driver, address);
  return info.isManaged                          ? trace::MemoryKind::Managed
         : info.memoryType == CU_MEMORYTYPE_HOST ? trace::MemoryKind::Host
                                                 : trace::MemoryKind::Device;
}

/// Whether host and device both reach it.
bool isOfBoth(trace::MemoryKind kind) {
  return kind == trace::MemoryKind::Managed || kind == trace::MemoryKind::Host;
}

} // namespace

void EventLog::announce(trace::MemoryKind kind, const char *call, std::uint64_t address, std::size_t bytes,
                        const AllocationSite &site) {
  trace::Allocation allocation;
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.kind = kind;
  allocation.call = call;
  allocation.name = site.name;
  allocation.type = site.type;
  allocation.file = site.file;
  allocation.line = site.line;
  allocation.column = site.column;
  stamp(allocation);
  writer_.allocation(allocation);
}

void EventLog::put(trace::MemoryKind kind, const char *call, std::uint64_t address, std::size_t bytes,
                   bool isFound, const AllocationSite &site) {
  // The handle of an array is no address that anything else lies at.
  const std::size_t addressed = kind == trace::MemoryKind::Array ? 0 : bytes;
  dropOutdated(address, addressed);
  memory_.put(address, {addressed, kind, isFound});
  if (accesses_ && addressed != 0 && isOfBoth(kind))
    accesses_->watch(address, addressed);
  announce(kind, call, address, bytes, site);
}

void EventLog::allocated(trace::MemoryKind kind, const char *call, const void *address, std::size_t bytes,
                         const AllocationSite &site) {
  const InRuntime inRuntime;
  put(kind, call, asNumber(address), bytes, /*isFound=*/false, site);
}

void EventLog::declared(trace::MemoryKind kind, const char *call, const void *address, std::size_t bytes,
                        const std::string &name, const abi::Declaration &declaration) {
  const InRuntime inRuntime;
  dropOutdated(asNumber(address), bytes);
  if (!memory_.putNew(asNumber(address), {bytes, kind}))
    return;
  if (accesses_ && bytes != 0 && isOfBoth(kind))
    accesses_->watch(asNumber(address), bytes);
  announce(kind, call, asNumber(address), bytes,
           {abi::sourceName(name).c_str(), declaration.type.c_str(), declaration.file.c_str(),
            declaration.line, declaration.column});
}

void EventLog::freed(const char *call, const void *address) {
  const InRuntime inRuntime;
  if (!memory_.remove(asNumber(address)))
    return;
  if (accesses_)
    accesses_->forget(asNumber(address));
  writeFree(call, address);
  // What frees at once waits for what uses the memory, as far as anybody can tell.
  if (accesses_ && !std::string_view(call).ends_with("Async"))
    accesses_->mayHaveWaited();
}

/// The trace says by that free that nothing is allocated there.
void EventLog::notFreed(const char *call, const void *address) {
  const InRuntime inRuntime;
  writeFree(call, address);
  ThreadCalls::ofThread().touch();
}

void EventLog::writeFree(const char *call, const void *address) {
  trace::Free free;
  free.address = asNumber(address);
  free.call = call;
  stamp(free);
  writer_.free(free);
}

void EventLog::freedWithin(const char *call, const void *address, std::size_t bytes) {
  for (const std::uint64_t begin : memory_.beginningIn(asNumber(address), bytes))
    freed(call, reinterpret_cast<const void *>(begin));
}

std::vector<const void *> EventLog::memoryOfDevice() const {
  std::vector<const void *> memory;
  int device = 0;
  const auto all = memory_.ifFree();
  if (!all || all->empty() || CUPR_BACKEND(cudaGetDevice)(&device) != cudaSuccess)
    return memory;
  for (const auto &[address, range] : *all) {
    const auto *const pointer = reinterpret_cast<const void *>(address);
    cudaPointerAttributes attributes{};
    if (range.kind != trace::MemoryKind::Symbol &&
        CUPR_BACKEND(cudaPointerGetAttributes)(&attributes, pointer) == cudaSuccess &&
        attributes.type != cudaMemoryTypeUnregistered && attributes.device == device)
      memory.push_back(pointer);
  }
  return memory;
}

void EventLog::dropOutdated(std::uint64_t address, std::uint64_t bytes) {
  for (const std::uint64_t gone : memory_.outdatedBy(address, bytes))
    freed("found", reinterpret_cast<const void *>(gone));
}

void EventLog::findMemory(const void *argument, std::size_t bytes) {
  const InRuntime inRuntime;
  std::uint64_t address = 0;
  for (std::size_t at = 0; at + sizeof address <= bytes; at += sizeof address) {
    std::memcpy(&address, static_cast<const char *>(argument) + at, sizeof address);
    if (address >= kLowest && !memory_.isAllocatedByCall(address))
      findMemoryAt(address);
  }
}

void EventLog::findMemoryAt(std::uint64_t address) {
  const Driver &driver = *Driver::get();
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  if (driver.cuMemGetAddressRange(&base, &bytes, address) != CUDA_SUCCESS || bytes == 0)
    return;
  if (!memory_.wasFound(base, bytes))
    put(kindOf(driver, base), "found", base, bytes, /*isFound=*/true, {});
}

void EventLog::inherit(const EventLog &parent) {
  // Another thread of the parent may have held the lock when it forked.
  const auto all = parent.memory_.ifFree();
  if (!all)
    return;
  for (const auto &[address, range] : *all)
    if (range.kind != trace::MemoryKind::Symbol) // these are announced with the module
      allocated(range.kind, "before fork", reinterpret_cast<const void *>(address), range.bytes);
}

void EventLog::imageObject(trace::ImageObject object) {
  const InRuntime inRuntime;
  stamp(object);
  writer_.imageObject(object);
}

void EventLog::copied(trace::Copy copy, cudaMemcpyKind kind, cudaStream_t stream) {
  const InRuntime inRuntime;
  if (streams_.isCapturing(stream)) // it is done when the graph is launched
    return;
  const bool toDevice = kind == cudaMemcpyDefault
                            ? memory_.isOfDevice(copy.destination)
                            : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool fromDevice = kind == cudaMemcpyDefault
                              ? memory_.isOfDevice(copy.source)
                              : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  copy.kind = toDevice ? (fromDevice ? trace::CopyKind::DeviceToDevice : trace::CopyKind::HostToDevice)
                       : (fromDevice ? trace::CopyKind::DeviceToHost : trace::CopyKind::HostToHost);
  streams_.name(stream, copy);
  stamp(copy);
  compare(copy);
  tellOfCopy(copy);
  writer_.copy(copy);
  ThreadCalls::ofThread().touch();
}

/// Whether a call that does not say so has waited is known of few (host_wait.def), and of none with managed memory.
void EventLog::tellOfCopy(const trace::Copy &copy) {
  if (!accesses_)
    return;
  begun(copy.stream);
  if (copy.asynchronous || copy.place.graph != 0)
    return;
  const auto isManaged = [&](std::uint64_t address) {
    const auto range = memory_.find(address);
    return range && range->second.kind == trace::MemoryKind::Managed;
  };
  if (isManaged(copy.destination) || isManaged(copy.source))
    accesses_->mayHaveWaited();
  else if (copy.kind == trace::CopyKind::DeviceToHost)
    accesses_->waitedFor(copy.stream);
}

void EventLog::compare(trace::Copy &copy) {
  // Of another copy the source may be written before it is read, as by a function of the host in its stream.
  if (copy.kind != trace::CopyKind::HostToDevice || copy.asynchronous || copy.place.graph != 0)
    return;
  const std::uint64_t begun = now();
  if (device_ == DeviceKind::Gpu) {
    // What the program calls the host's may be a device's, which the host can't read, or would take from it.
    const PointerInfo info = pointerInfo(*Driver::get(), copy.source);
    if (info.isKnown() && (info.memoryType != CU_MEMORYTYPE_HOST || info.isManaged))
      return;
  }
  copy.sameAs = contents_.sameAs(copy);
  ThreadCalls::ofThread().leaveOut(now() - begun);
}

void EventLog::wasSet(trace::Set set, cudaStream_t stream) {
  const InRuntime inRuntime;
  if (streams_.isCapturing(stream))
    return;
  streams_.name(stream, set);
  stamp(set);
  begun(set.stream);
  writer_.set(set);
  ThreadCalls::ofThread().touch();
}

void EventLog::transferred(const GraphTransfer &transfer, cudaStream_t stream,
                           const trace::GraphPlace &place) {
  for (trace::Copy copy : transfer.copies) {
    copy.place = place;
    copied(std::move(copy), transfer.kind, stream);
  }
  if (transfer.set) {
    trace::Set set = *transfer.set;
    set.place = place;
    wasSet(std::move(set), stream);
  }
}

void EventLog::synchronised(trace::Synchronisation::Kind kind, cudaStream_t stream, std::uint64_t event) {
  const InRuntime inRuntime;
  const bool isInStream = kind == trace::Synchronisation::Kind::EventRecord ||
                          kind == trace::Synchronisation::Kind::StreamWaitEvent;
  if (isInStream && streams_.isCapturing(stream))
    return;
  trace::Synchronisation synchronisation;
  synchronisation.kind = kind;
  // Neither the device nor an event is waited for in a stream.
  if (kind != trace::Synchronisation::Kind::Device && kind != trace::Synchronisation::Kind::Event)
    streams_.name(stream, synchronisation);
  synchronisation.event = event;
  stamp(synchronisation);
  if (accesses_ && kind == trace::Synchronisation::Kind::Device)
    accesses_->waitedForAll();
  else if (accesses_ && kind == trace::Synchronisation::Kind::Stream)
    accesses_->waitedFor(synchronisation.stream);
  writer_.synchronisation(synchronisation);
}

void EventLog::launched(trace::Launch &launch) {
  const InRuntime inRuntime;
  LaunchSeries(*this).launched(launch);
  ThreadCalls::ofThread().touch();
}

void EventLog::launchedAndEnded(trace::Launch &launch, trace::LaunchEnd &end) {
  const InRuntime inRuntime;
  LaunchSeries(*this).number(launch);
  end.id = launch.id;
  writer_.timedLaunch(launch, end);
}

void EventLog::numberLaunch(trace::Launch &launch) { LaunchSeries(*this).number(launch); }

void EventLog::announceNumbered(const trace::Launch &launch) {
  const InRuntime inRuntime;
  writer_.launch(launch);
}

void EventLog::LaunchSeries::launched(trace::Launch &launch) {
  number(launch);
  log_.writer_.launch(launch);
}

void EventLog::LaunchSeries::number(trace::Launch &launch) {
  assert(launch.id == trace::LaunchId{} && "a launch is numbered once");
  launch.id = trace::LaunchId{++log_.launches_};
  launch.order = log_.nextOrder();
  log_.begun(launch.stream);
}

} // namespace cupr::host

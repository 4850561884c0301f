#include "session.h"

#include "devicelib/abi/version.h"
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/graphs/executable_graph.h"
#include "hostlib/runtime/kernels/records_function.h"
#include "hostlib/runtime/kernels/registration.h"
#include "hostlib/runtime/kernels/traced_function.h"
#include "process_end.h"
#include "trace_claim.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <unistd.h>
#include <xxhash.h>

namespace cupr::host {
namespace {

std::atomic<Session *> theSession{nullptr};

/// The last one that was started, even behind its end. Sessions are never deleted, since threads may still be in
/// one when the process ends; from here on, leak checkers see that all are still owned.
std::atomic<Session *> newestSession{nullptr};

/// In a child of fork that has not needed a session of its own yet: the parent's, of which it has a copy.
std::atomic<Session *> parentSession{nullptr};

std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

std::vector<std::string> processArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < text.size();) {
    arguments.emplace_back(text.c_str() + at);
    at += arguments.back().size() + 1;
  }
  return arguments;
}

std::string deviceName(DeviceKind device) {
  if (device == DeviceKind::Cpu)
    return fmt::format("CPU device ({} hardware threads)", std::thread::hardware_concurrency());
  const Driver *const driver = Driver::get();
  char name[256] = "GPU";
  if (driver && driver->cuInit(0) == CUDA_SUCCESS)
    driver->cuDeviceGetName(name, sizeof name, 0);
  return name;
}

void finishWithProcess() {
  parentSession = nullptr; // a child that has not needed a session until now needs none any more
  if (Session *const session = theSession)
    session->contained([&] { session->finish(); });
}

/// In the child. A GPU can't be used there; the CPU device can.
void leaveToParent() {
  Session *const session = theSession.exchange(nullptr);
  forgetClaim();
  if (session && deviceKind() == DeviceKind::Cpu) {
    cuprCpuSetRecordSink(nullptr);
    parentSession = session;
  }
}

} // namespace

void Session::endTracingAtExit() {
  static const int registered = std::atexit([] {
    if (Session *const session = theSession)
      session->endTracing();
  });
  static_cast<void>(registered);
}

void Session::start(DeviceKind device) {
  Settings settings = Settings::fromEnvironment();
  if (!settings.enabled)
    return;
  auto *const session = new Session(device, std::move(settings));
  session->older_ = newestSession.exchange(session);
  session->createWriter();
  if (device == DeviceKind::Cpu) {
    cuprCpuSetRecordSink(session);
    watchGraphs();
  }
  theSession = session;
  watchProcessEnd(finishWithProcess, leaveToParent);
}

Session *Session::current() {
  if (Session *const session = theSession.load(std::memory_order_acquire))
    return session;
  Session *const parent = parentSession.exchange(nullptr);
  if (parent) {
    start(parent->device_);
    if (Session *const session = theSession)
      session->inherit(*parent);
  }
  return theSession.load(std::memory_order_acquire);
}

void Session::inherit(Session &parent) {
  // Another thread of the parent may have held the lock when it forked.
  const auto all = parent.memory_.ifFree();
  if (!all)
    return;
  for (const auto &[address, range] : *all)
    if (range.kind != trace::MemoryKind::Symbol) // these are announced with the module
      allocated(range.kind, "before fork", reinterpret_cast<const void *>(address), range.bytes);
}

Session::Session(DeviceKind device, Settings settings)
    : device_(device), settings_(std::move(settings)), selection_(settings_),
      startNanoseconds_(nanoseconds()) {}

void Session::createWriter() {
  trace::Process process;
  if (settings_.recordsArguments)
    process.arguments = processArguments();
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  process.program = length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "unknown";
  process.pid = static_cast<std::uint64_t>(getpid());
  process.deviceKind = device_ == DeviceKind::Gpu ? "gpu" : "cpu";
  process.deviceName = deviceName(device_);
  process.startTime = startNanoseconds_;
  trace::WriterOptions options;
  // What the level follows is time, and a trace of the CPU device is to be the same each time.
  options.level = settings_.level.value_or(device_ == DeviceKind::Gpu ? 0 : options.level);
  options.maxBytes = settings_.maxBytes;
  options.summaryPath = settings_.summaryPath;
  options.fileMode = settings_.fileMode;
  options.replacesAnyFile = settings_.replacesAnyFile;
  options.leavesOutUntraced = settings_.omitsUntraced;
  if ((writer_ = writerForProgram(process, options)))
    return;
  if (settings_.toNowhere) {
    writer_ = trace::Writer::createNull(process, options);
    return;
  }
  writer_ = trace::Writer::create(claimTracePath(settings_.tracePath, settings_.fileMode), process, options);
  if (!writer_->failed())
    listTrace(writer_->path());
}

std::uint64_t Session::now() const { return nanoseconds() - startNanoseconds_; }

std::uint64_t Session::streamId(cudaStream_t stream) const {
  unsigned long long id = 0;
  if (device_ == DeviceKind::Gpu) {
    if (const Driver *const driver = Driver::get())
      driver->cuStreamGetId(stream, &id);
    return id;
  }
  return CUPR_BACKEND(cudaStreamGetId)(stream, &id) == cudaSuccess ? id
                                                                   : reinterpret_cast<std::uint64_t>(stream);
}

trace::StreamKind Session::streamKind(cudaStream_t stream) const {
  if (!stream || stream == cudaStreamLegacy)
    return trace::StreamKind::Legacy;
  unsigned flags = 0;
  if (device_ == DeviceKind::Gpu) {
    const Driver *const driver = Driver::get();
    if (!driver || driver->cuStreamGetFlags(stream, &flags) != CUDA_SUCCESS)
      return trace::StreamKind::Unknown;
  } else if (CUPR_BACKEND(cudaStreamGetFlags)(stream, &flags) != cudaSuccess) {
    return trace::StreamKind::Unknown;
  }
  return flags & cudaStreamNonBlocking ? trace::StreamKind::NonBlocking : trace::StreamKind::Blocking;
}

trace::ModuleId Session::moduleFor(const void *kernelHandle, const Kernel &kernel, std::uint32_t device) {
  const InRuntime inRuntime;
  if (!kernel.instrumented)
    return trace::kNoModule;
  const std::scoped_lock lock(moduleMutex_);
  if (const auto known = modules_.find({&kernel, device}); known != modules_.end())
    return known->second;
  const std::uint64_t hash = XXH3_64bits(kernel.siteTable->data(), kernel.siteTable->size());
  auto [module, fresh] = modulesByHash_.try_emplace(hash);
  if (fresh)
    module->second = writer_->module(*kernel.siteTable);
  modules_[{&kernel, device}] = module->second;
  announceVariables(kernelHandle);
  return module->second;
}

void Session::announceVariables(const void *kernelHandle) {
  for (const RegisteredVariable &variable : variablesBeside(kernelHandle)) {
    void *address = nullptr;
    if (variable.managed)
      address = managedAddress(static_cast<void *const *>(variable.handle));
    else if (CUPR_BACKEND(cudaGetSymbolAddress)(&address, variable.handle) != cudaSuccess)
      continue;
    if (!address)
      continue;
    dropOutdated(reinterpret_cast<std::uint64_t>(address), variable.bytes);
    const trace::MemoryKind kind = variable.managed ? trace::MemoryKind::Managed : trace::MemoryKind::Symbol;
    if (!memory_.putNew(reinterpret_cast<std::uint64_t>(address), {variable.bytes, kind}))
      continue;
    trace::Allocation allocation;
    allocation.address = reinterpret_cast<std::uint64_t>(address);
    allocation.bytes = variable.bytes;
    allocation.kind = kind;
    allocation.call = variable.managed ? "__managed__" : variable.constant ? "__constant__" : "__device__";
    allocation.name = demangledKernel(variable.name);
    allocation.order = ++order_;
    allocation.time = now();
    writer_->allocation(allocation);
  }
}

DeviceQueue *Session::queueOfContext(std::string &reason) {
  const Driver &driver = *Driver::get();
  CUcontext context = nullptr;
  driver.cuCtxGetCurrent(&context);
  const std::scoped_lock lock(queuesMutex_);
  std::unique_ptr<DeviceQueue> &queue = queues_[context];
  if (!queue) {
    const SignalsToOthers
        signals; // which its threads could not wait for: the end of the process waits for them
    queue = DeviceQueue::create(driver, settings_, *writer_, [this] { return now(); }, reason);
  }
  return queue.get();
}

bool Session::isCapturing(cudaStream_t stream) const {
  if (device_ == DeviceKind::Cpu)
    return cuprCpuIsCapturing(stream);
  const Driver *const driver = Driver::get(); // none: nothing runs here, CUDA answers with an error
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return !driver || driver->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Session::records(std::uint64_t launch, const void *words, std::size_t count) {
  static std::atomic<std::uint32_t> threads{0};
  static thread_local const std::uint32_t lane = threads++;
  const InRuntime inRuntime;
  writer_->records(trace::LaunchId{launch}, lane, words, count);
}

void Session::dropOutdated(std::uint64_t address, std::uint64_t bytes) {
  for (const std::uint64_t gone : memory_.outdatedBy(address, bytes))
    freed("found", reinterpret_cast<const void *>(gone));
}

void Session::allocated(trace::MemoryKind kind, const char *call, const void *address, std::size_t bytes) {
  allocated(kind, call, address, bytes, /*isFound=*/false);
}

void Session::allocated(trace::MemoryKind kind, const char *call, const void *address, std::size_t bytes,
                        bool isFound) {
  const InRuntime inRuntime;
  dropOutdated(reinterpret_cast<std::uint64_t>(address), bytes);
  memory_.put(reinterpret_cast<std::uint64_t>(address), {bytes, kind, isFound});
  trace::Allocation allocation;
  allocation.address = reinterpret_cast<std::uint64_t>(address);
  allocation.bytes = bytes;
  allocation.kind = kind;
  allocation.call = call;
  allocation.order = ++order_;
  allocation.time = now();
  writer_->allocation(allocation);
}

void Session::freed(const char *call, const void *address) {
  const InRuntime inRuntime;
  if (!memory_.remove(reinterpret_cast<std::uint64_t>(address)))
    return;
  trace::Free free;
  free.address = reinterpret_cast<std::uint64_t>(address);
  free.call = call;
  free.order = ++order_;
  free.time = now();
  writer_->free(free);
}

void Session::copied(trace::Copy copy, cudaMemcpyKind kind, cudaStream_t stream) {
  const InRuntime inRuntime;
  if (isCapturing(stream)) // it is done when the graph is launched
    return;
  const bool toDevice = kind == cudaMemcpyDefault
                            ? memory_.isOfDevice(copy.destination)
                            : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool fromDevice = kind == cudaMemcpyDefault
                              ? memory_.isOfDevice(copy.source)
                              : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  copy.kind = toDevice ? (fromDevice ? trace::CopyKind::DeviceToDevice : trace::CopyKind::HostToDevice)
                       : (fromDevice ? trace::CopyKind::DeviceToHost : trace::CopyKind::HostToHost);
  copy.stream = streamId(stream);
  copy.streamKind = streamKind(stream);
  copy.order = ++order_;
  copy.time = now();
  writer_->copy(copy);
}

void Session::wasSet(trace::Set set, cudaStream_t stream) {
  const InRuntime inRuntime;
  if (isCapturing(stream))
    return;
  set.stream = streamId(stream);
  set.streamKind = streamKind(stream);
  set.order = ++order_;
  set.time = now();
  writer_->set(set);
}

void Session::synchronised(trace::Synchronisation::Kind kind, cudaStream_t stream, std::uint64_t event) {
  const InRuntime inRuntime;
  const bool isInStream = kind == trace::Synchronisation::Kind::EventRecord ||
                          kind == trace::Synchronisation::Kind::StreamWaitEvent;
  if (isInStream && isCapturing(stream))
    return;
  trace::Synchronisation synchronisation;
  synchronisation.kind = kind;
  // Neither the device nor an event is waited for in a stream.
  if (kind != trace::Synchronisation::Kind::Device && kind != trace::Synchronisation::Kind::Event) {
    synchronisation.stream = streamId(stream);
    synchronisation.streamKind = streamKind(stream);
  }
  synchronisation.event = event;
  synchronisation.order = ++order_;
  synchronisation.time = now();
  writer_->synchronisation(synchronisation);
}

void Session::releaseDevice() {
  forgetGraphs();
  forgetTracedFunctions();
  const std::scoped_lock lock(queuesMutex_);
  for (auto &[context, queue] : queues_)
    if (queue)
      queue->finish();
  queues_.clear();
}

void Session::flush() {
  std::vector<DeviceQueue *> queues;
  {
    const std::scoped_lock lock(queuesMutex_);
    for (const auto &[context, queue] : queues_)
      if (queue)
        queues.push_back(queue.get());
  }
  for (DeviceQueue *const queue : queues)
    queue->flush();
  writer_->flush();
}

void Session::endTracing() {
  std::call_once(endedOnce_, [this] {
    tracingEnded_ = true;
    { // Whoever has not seen that gets through first.
      const std::unique_lock lock(endMutex_);
    }
    const std::scoped_lock lock(queuesMutex_);
    for (const auto &[context, queue] : queues_)
      if (queue)
        queue->finish();
  });
}

void Session::finish() {
  const std::scoped_lock lock(finishMutex_);
  if (finished_)
    return;
  finished_ = true;
  endTracing();
  theSession = nullptr;
  if (device_ == DeviceKind::Cpu) {
    cuprCpuSetRecordSink(nullptr);
    cuprCpuSetGraphWatcher(nullptr);
  }
  contained([&] {
    if (const std::string text = selection_.whyNothing(); !text.empty())
      message("no launch was traced: {}", text);
  });
  writer_->finish();
}

} // namespace cupr::host

extern "C" void CUPR_VERSIONED(cuprFlushRecords_v)() {
  if (cupr::host::Session *const session = cupr::host::Session::current())
    session->flush();
}

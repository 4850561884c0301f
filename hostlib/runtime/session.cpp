#include "session.h"

#include "devicelib/abi/version.h"
#include "executable_graph.h"
#include "in_context.h"
#include "launch_site.h"
#include "message.h"
#include "module_info.h"
#include "process_end.h"
#include "records_function.h"
#include "registration.h"
#include "trace_claim.h"
#include "traced_function.h"

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

/// Why launches are not traced behind endTracing.
constexpr const char *kEnding = "the process is ending";

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
    queue = DeviceQueue::create(
        driver, settings_, *writer_, [this] { return now(); }, reason);
  }
  return queue.get();
}

trace::Launch Session::describe(const Kernel &kernel, dim3 grid, dim3 block, std::size_t sharedBytes,
                                cudaStream_t stream) const {
  trace::Launch launch;
  launch.kernel = kernel.demangled;
  launch.mangled = kernel.name;
  launch.grid = {grid.x, grid.y, grid.z};
  launch.block = {block.x, block.y, block.z};
  launch.dynamicShared = static_cast<std::uint32_t>(sharedBytes);
  launch.stream = streamId(stream);
  launch.streamKind = streamKind(stream);
  int device = 0;
  const cudaError_t known = device_ == DeviceKind::Cpu ? CUPR_BACKEND(cudaStreamGetDevice)(stream, &device)
                                                       : CUPR_BACKEND(cudaGetDevice)(&device);
  if (known == cudaSuccess)
    launch.device = static_cast<std::uint32_t>(device);
  launch.time = now();
  return launch;
}

/// Null: it has none of its own.
CUcontext Session::contextOf(cudaStream_t stream) {
  CUcontext context = nullptr;
  if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
      Driver::get()->cuStreamGetCtx(stream, &context) != CUDA_SUCCESS)
    return nullptr;
  return context;
}

/// A launch must not fail for want of memory for its trace: it is made once, traced or plain.
cudaError_t Session::launch(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  enum class State { NotMade, InCall, Made } state = State::NotMade;
  cudaError_t result = cudaSuccess;
  const auto once = [&](const void *variant, void **arguments) {
    state = State::InCall;
    result = call(variant, arguments);
    state = State::Made;
    return result;
  };
  try {
    return launchAnywhere(request, kernel, once);
  } catch (...) {
    if (state == State::InCall) // it is what the program would see
      throw;
    writer_->lose();
  }
  return state == State::Made ? result
                              : call(request.kernel, TracedArguments(request.arguments, kernel).get());
}

cudaError_t Session::launchAnywhere(const LaunchRequest &request, const Kernel &kernel,
                                    const LaunchCall &call) {
  const auto isEmpty = [](const dim3 &extent) { return !extent.x || !extent.y || !extent.z; };
  const bool refused = isEmpty(request.grid) || isEmpty(request.block);
  if (refused || isCapturing(request.stream)) // nothing runs now; for graphs see launchGraph
    return call(request.kernel, TracedArguments(request.arguments, kernel).get());
  if (device_ == DeviceKind::Cpu)
    return launchHere(request, kernel, call);
  if (tracingEnded_)
    return launchAtEnd(request, kernel, call);
  // CUDA launches on the device of the stream, be it the current one or not.
  const InContext inContext(*Driver::get(), contextOf(request.stream));
  return launchHere(request, kernel, call);
}

cudaError_t Session::launchAtEnd(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  trace::Launch launch;
  launch.kernel = kernel.demangled;
  launch.mangled = kernel.name;
  launch.grid = {request.grid.x, request.grid.y, request.grid.z};
  launch.block = {request.block.x, request.block.y, request.block.z};
  launch.dynamicShared = static_cast<std::uint32_t>(request.sharedBytes);
  launch.reason = kEnding;
  launch.time = now();
  return launchPlain(request, kernel, launch, call);
}

cudaError_t Session::launchHere(const LaunchRequest &request, const Kernel &kernel, const LaunchCall &call) {
  trace::Launch launch = describe(kernel, request.grid, request.block, request.sharedBytes, request.stream);
  launch.module = moduleFor(request.kernel, kernel, launch.device);
  launch.ctas = selection_.blocks();
  if (request.place)
    launch.place = *request.place;
  launch.reason = kernel.instrumented ? selection_.reasonAgainst(kernel.demangled) : kernel.reason;
  if (const LaunchSite *site = currentLaunchSite()) {
    launch.file = site->file;
    launch.line = site->line;
  }
  return device_ == DeviceKind::Gpu ? launchOnGpu(request, kernel, launch, call)
                                    : launchOnCpu(request, kernel, launch, call);
}

void Session::select(Trace &trace, const trace::CtaSelection &ctas) {
  trace.ctaFirst = ctas.first;
  trace.ctaEnd = ctas.end;
  trace.ctaPeriod = ctas.isAll() ? 0 : ctas.period;
}

std::string Session::launchFailure(cudaError_t error) {
  return fmt::format("the launch failed with {}, and made no access", CUPR_BACKEND(cudaGetErrorName)(error));
}

unsigned Session::countedSites(const Kernel &kernel) const {
  return settings_.countsAccesses ? std::max(kernel.siteCount, 1u) : 0;
}

bool Session::isCapturing(cudaStream_t stream) const {
  if (device_ == DeviceKind::Cpu)
    return cuprCpuIsCapturing(stream);
  const Driver *const driver = Driver::get(); // none: nothing runs here, CUDA answers with an error
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return !driver || driver->cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Session::announce(trace::Launch &launch) {
  const InRuntime inRuntime;
  const std::scoped_lock lock(launchMutex_);
  launch.id = trace::LaunchId{++launches_};
  launch.order = ++order_;
  writer_->launch(launch);
}

cudaError_t Session::launchPlain(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                                 const LaunchCall &call) {
  // The kernel goes first: what is not traced waits for nothing.
  const cudaError_t result = call(request.kernel, TracedArguments(request.arguments, kernel).get());
  announce(launch);
  return result;
}

cudaError_t Session::launchOnGpu(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                                 const LaunchCall &call) {
  DeviceQueue *queue = nullptr;
  const TracedFunction *function = nullptr;
  const InRuntime inRuntime;
  const std::shared_lock notEnding(endMutex_);
  if (launch.reason.empty() && tracingEnded_)
    launch.reason = kEnding;
  if (launch.reason.empty() && writer_->full())
    launch.reason = writer_->fullReason();
  if (launch.reason.empty() && !writer_->failed()) {
    if ((function = findTracedFunction(request, kernel, launch.reason)))
      queue = queueOfContext(launch.reason);
    endTracingAtExit();
  }
  launch.traced = queue != nullptr;
  if (!queue)
    return launchPlain(request, kernel, launch, call);
  {
    TracedArguments plain(request.arguments, kernel);
    for (std::size_t i = kernel.takesTrace() ? 1 : 0; i < function->parameterBytes.size(); ++i)
      findMemory(plain.get()[i], function->parameterBytes[i]);
  }
  announce(launch);
  cudaError_t result = cudaSuccess;
  const unsigned sites = countedSites(kernel);
  bool isMade = false;
  const auto make = [&](const Trace &given) -> DeviceQueue::Outcome {
    Trace trace = given;
    select(trace, launch.ctas);
    TracedArguments arguments(request.arguments, kernel, trace);
    isMade = true;
    const CUresult traced = launchTraced(*function, request, arguments.get());
    if (traced == CUDA_SUCCESS)
      return {};
    // The plain kernel can still run; or the program learns from its own call what is wrong.
    result = call(request.kernel, TracedArguments(request.arguments, kernel, Trace{}).get());
    if (result != cudaSuccess)
      return {launchFailure(result), /*recordsLost=*/false};
    return {fmt::format("the traced variant could not be launched ({}); the plain one ran",
                        driverErrorName(traced)),
            /*recordsLost=*/true};
  };
  try {
    queue->launch(request.stream, launch.id, kernel.demangled, sites, make);
  } catch (...) {
    if (!isMade) // so it is made plain
      throw;
    writer_->lose();
  }
  return result;
}

cudaError_t Session::launchOnCpu(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch,
                                 const LaunchCall &call) {
  if (launch.reason.empty() && writer_->full())
    launch.reason = writer_->fullReason();
  launch.traced = launch.reason.empty() && kernel.tracedOnCpu && !writer_->failed();
  if (!launch.traced)
    return launchPlain(request, kernel, launch, call);
  announce(launch);
  Trace trace{};
  trace.launch = static_cast<std::uint64_t>(launch.id);
  select(trace, launch.ctas);
  std::vector<unsigned long long> counters(countedSites(kernel));
  trace.siteCounts = counters.data();
  trace.countedSites = static_cast<std::uint32_t>(counters.size());
  trace.special = counters.empty() ? 0 : argument::kTraceCounts;
  const std::uint64_t began = now();
  const int broken = cuprCpuContextError();
  const cudaError_t result =
      call(kernel.tracedOnCpu, TracedArguments(request.arguments, kernel, trace).get());
  // The CPU device has run the kernel when the call returns: whatever has broken the context stopped it.
  const auto state = static_cast<cudaError_t>(cuprCpuContextError());
  const bool died = broken == cudaSuccess && state != cudaSuccess;
  trace::LaunchEnd end;
  end.id = launch.id;
  end.began = began;
  end.ended = now();
  end.complete = !died;
  if (result != cudaSuccess && !died)
    end.reason = launchFailure(result);
  else if (died)
    end.reason = fmt::format("the kernel ended with {}", CUPR_BACKEND(cudaGetErrorName)(state));
  if (!counters.empty())
    end.siteCounts = siteCounts(counters);
  const InRuntime inRuntime;
  end.recordWords = writer_->recordWords(launch.id);
  end.time = now();
  writer_->launchEnd(end);
  return result;
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

#include "session.h"

#include "devicelib/abi/version.h"
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/driver/program_path.h"
#include "hostlib/runtime/kernels/records_function.h"
#include "library_memory.h"
#include "process_end.h"
#include "trace_claim.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <unistd.h>

namespace cupr::host {
namespace {

std::atomic<Session *> theSession{nullptr};

/// The last one that was started, even behind its end. Sessions are never deleted, since threads may still be in
/// one when the process ends; from here on, leak checkers see that all are still owned.
std::atomic<Session *> newestSession{nullptr};

/// In a child of fork that has not needed a session of its own yet: the parent's, of which it has a copy.
std::atomic<Session *> parentSession{nullptr};

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

/// Of the device and the process; to where the settings say.
std::unique_ptr<trace::Writer> createWriter(DeviceKind device, const Settings &settings,
                                            std::uint64_t startTime, bool hasHostAccesses,
                                            const trace::TensorMaps &tensorMaps) {
  trace::Process process;
  if (settings.recordsArguments)
    process.arguments = processArguments();
  process.program = programPath().string();
  if (process.program.empty())
    process.program = "unknown";
  process.pid = static_cast<std::uint64_t>(getpid());
  process.deviceKind = device == DeviceKind::Gpu ? "gpu" : "cpu";
  process.deviceName = deviceName(device);
  process.startTime = startTime;
  trace::WriterOptions options;
  // What the level follows is time, and a trace of the CPU device is to be the same each time.
  options.level = settings.level.value_or(device == DeviceKind::Gpu ? 0 : options.level);
  options.maxBytes = settings.maxBytes;
  options.summaryPath = settings.summaryPath;
  options.fileMode = settings.fileMode;
  options.replacesAnyFile = settings.replacesAnyFile;
  options.leavesOutUntraced = settings.omitsUntraced;
  options.hasHostAccesses = hasHostAccesses;
  options.tensorMaps = &tensorMaps;
  if (auto writer = writerForProgram(process, options))
    return writer;
  if (settings.toNowhere)
    return trace::Writer::createNull(process, options);
  auto writer =
      trace::Writer::create(claimTracePath(settings.tracePath, settings.fileMode), process, options);
  if (!writer->failed())
    listTrace(writer->path());
  return writer;
}

void finishWithProcess() {
  parentSession = nullptr; // a child that has not needed a session until now needs none any more
  if (Session *const session = theSession)
    session->contained([&] { session->finish(); });
}

/// In the child. A GPU can't be used there; the CPU device can.
void leaveToParent() {
  Session *const session = theSession.exchange(nullptr);
  HostLog::makeCurrent(nullptr);
  HostAccesses::makeCurrent(nullptr);
  forgetClaim();
  if (session)
    session->leaveToParent();
  if (session && deviceKind() == DeviceKind::Cpu) {
    cuprCpuSetRecordSink(nullptr);
    parentSession = session;
  }
}

} // namespace

bool Session::recordsAccesses(const Settings &settings) {
  return HostAccesses::areTold() && settings.recordsPaths && !settings.toNowhere;
}

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
  auto *const session = new Session(device, std::move(settings), wallTime());
  session->older_ = newestSession.exchange(session);
  if (session->cpu_) {
    cuprCpuSetRecordSink(&*session->cpu_);
    watchGraphs();
  }
  theSession = session;
  if (session->settings_.recordsPaths)
    HostLog::makeCurrent(&session->hostLog_);
  if (recordsAccesses(session->settings_))
    session->contained([&] {
      session->accesses_.emplace(session->hostLog_, session->events_.latestOrder());
      session->events_.tell(&*session->accesses_);
      HostAccesses::makeCurrent(&*session->accesses_);
    });
  // A signal that samples need is chosen before all others are taken over.
  if (const unsigned perSecond = session->settings_.hostSamplesPerSecond; perSecond != 0)
    session->contained([&] { session->samples_.emplace(session->hostLog_, perSecond); });
  watchProcessEnd(finishWithProcess, ::cupr::host::leaveToParent);
  session->contained([&] { session->startCheck(); });
  if (session->gpu_ && session->settings_.watchesLibraries && !session->settings_.replaysKernels)
    watchLibraryMemory();
}

Session *Session::current() {
  if (Session *const session = theSession.load(std::memory_order_acquire))
    return session;
  Session *const parent = parentSession.exchange(nullptr);
  if (parent) {
    start(parent->device_);
    if (Session *const session = theSession)
      session->events_.inherit(parent->events_);
  }
  return theSession.load(std::memory_order_acquire);
}

Session::Session(DeviceKind device, Settings settings, std::uint64_t startTime)
    : device_(device), settings_(std::move(settings)), selection_(settings_),
      writer_(createWriter(device, settings_, startTime, recordsAccesses(settings_), tensorMaps_)),
      events_(*writer_, device, startTime), hostLog_(*writer_, startTime),
      modules_(*writer_, events_, hostLog_), policy_(device, selection_, events_, modules_) {
  if (device == DeviceKind::Cpu)
    cpu_.emplace(settings_, *writer_, events_, policy_);
  else
    gpu_.emplace(settings_, *writer_, events_, policy_, endTracingAtExit);
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
  const auto isEmpty = [](const dim3 &extent) { return !extent.x || !extent.y || !extent.z; };
  try {
    // Nothing runs now where CUDA refuses it or a graph is captured (launchGraph).
    if (isEmpty(request.grid) || isEmpty(request.block) || events_.streams().isCapturing(request.stream))
      return once(request.kernel, TracedArguments(request.arguments, kernel).get());
    return launcher().launch(request, kernel, once);
  } catch (...) {
    if (state == State::InCall) // it is what the program would see
      throw;
    writer_->lose();
  }
  return state == State::Made ? result
                              : call(request.kernel, TracedArguments(request.arguments, kernel).get());
}

cudaError_t Session::launchGraph(cudaGraphExec_t executable, cudaStream_t stream,
                                 const std::function<cudaError_t()> &call) {
  return gpu_ ? gpu_->launchGraph(executable, stream, call) : call();
}

void Session::releaseDevice() {
  if (gpu_)
    gpu_->release();
}

void Session::flush() {
  if (gpu_)
    gpu_->flush();
  writer_->flush();
}

void Session::endTracing() {
  if (gpu_)
    gpu_->end();
}

void Session::leaveToParent() {
  if (check_)
    check_->leave();
}

void Session::startCheck() {
  if (settings_.check == LiveChecking::Off)
    return;
  if (device_ == DeviceKind::Gpu)
    return message(
        "CUPR_CHECK is for the CPU device (cupr++ --device=cpu, or CUPR_DEVICE=cpu): on a GPU nothing is "
        "checked while the program runs; 'cupranalyze check' says of its trace what there is");
  if (writer_->path().empty() || settings_.omitsUntraced)
    return message(
        "CUPR_CHECK needs a trace in a file with all launches, without CUPR_SINK=null, CUPR_UNTRACED=omit "
        "and functions that take the records: nothing is checked while the program runs");
  check_.emplace(*writer_, hostLog_);
  ThreadCalls::whenTouched = lookBehindCall;
}

void Session::lookBehindCall() {
  Session *const session = theSession.load(std::memory_order_acquire);
  if (session && session->check_ && session->check_->look() && session->settings_.check == LiveChecking::Stop)
    session->stop();
}

/// The program gets no further; what it has written to stdout so far it would have written without us.
void Session::stop() {
  message("the program is stopped here (CUPR_CHECK=stop); its trace is '{}'", writer_->path());
  check_->leave();
  contained([&] { finish(); });
  // Another thread may hold it for ever, waiting for input.
  if (::ftrylockfile(stdout) == 0)
    ::fflush_unlocked(stdout);
  ::_exit(LiveCheck::kFaultStatus);
}

void Session::finish() {
  const std::scoped_lock lock(finishMutex_);
  if (finished_)
    return;
  finished_ = true;
  endTracing();
  theSession = nullptr;
  if (cpu_) {
    cuprCpuSetRecordSink(nullptr);
    cuprCpuSetGraphWatcher(nullptr);
  }
  HostLog::makeCurrent(nullptr);
  HostAccesses::makeCurrent(nullptr);
  contained([&] {
    if (accesses_)
      accesses_->collect();
    if (samples_)
      samples_->finish();
    hostLog_.finish();
    if (!settings_.toNowhere)
      hostLog_.writeNames();
  });
  contained([&] {
    if (const std::string text = settings_.timesUntraced ? "" : selection_.whyNothing(); !text.empty())
      message("no launch was traced: {}", text);
  });
  writer_->finish();
  if (check_)
    contained([&] { check_->end(); });
}

} // namespace cupr::host

extern "C" void CUPR_VERSIONED(cuprFlushRecords_v)() {
  if (cupr::host::Session *const session = cupr::host::Session::current())
    session->flush();
}

#include "capture.h"

#include "api.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

extern "C" decltype(cudaStreamGetFlags) cupr_cpu_cudaStreamGetFlags;

namespace cupr::cpu {

struct Capture {
  unsigned long long id;
  cudaGraph_t graph;
  bool ownsGraph; ///< until it has ended: the graph isn't the program's
  const void *origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool invalid = false;
};

namespace {

/// A stream that takes part in a capture.
struct Participant {
  std::shared_ptr<Capture> capture;
  std::vector<cudaGraphNode_t> dependencies; ///< of the node that comes next
  std::vector<cudaGraphEdgeData> edges;      ///< as cudaStreamGetCaptureInfo gives them
  bool isBlocking;                           ///< waits for the legacy stream
};

struct Captures {
  std::mutex mutex;
  std::map<const void *, Participant> streams;
  std::atomic<std::size_t> count{0}; ///< of streams; read without the mutex
  unsigned long long nextId = 1;
};
Captures &captures() {
  static auto *all = new Captures;
  return *all;
}

thread_local cudaStreamCaptureMode threadMode = cudaStreamCaptureModeGlobal;

bool isLegacy(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }

/// What identifies a stream; each thread has a default stream of its own.
const void *keyOf(cudaStream_t stream) {
  static thread_local char perThread;
  return stream == cudaStreamPerThread ? static_cast<const void *>(&perThread) : stream;
}

Participant *find(cudaStream_t stream) {
  const auto found = captures().streams.find(keyOf(stream));
  return found == captures().streams.end() ? nullptr : &found->second;
}

/// The capturing streams that wait for the legacy stream.
std::vector<Participant *> blocking() {
  std::vector<Participant *> result;
  for (auto &[key, participant] : captures().streams)
    if (participant.isBlocking)
      result.push_back(&participant);
  return result;
}

cudaError_t invalidate(Capture &capture, cudaError_t error) {
  capture.invalid = true;
  return error;
}

cudaError_t invalidateBlocking() {
  cudaError_t error = cudaSuccess;
  for (Participant *const participant : blocking())
    error = invalidate(*participant->capture, cudaErrorStreamCaptureImplicit);
  return error;
}

void add(std::vector<cudaGraphNode_t> &nodes, std::span<const cudaGraphNode_t> more) {
  for (const cudaGraphNode_t node : more)
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end())
      nodes.push_back(node);
}

bool isBlocking(cudaStream_t stream) {
  unsigned flags = 0;
  return cupr_cpu_cudaStreamGetFlags(stream, &flags) == cudaSuccess && !(flags & cudaStreamNonBlocking);
}

void join(cudaStream_t stream, std::shared_ptr<Capture> capture, std::vector<cudaGraphNode_t> dependencies) {
  captures().streams[keyOf(stream)] = {std::move(capture), std::move(dependencies), {}, isBlocking(stream)};
  captures().count = captures().streams.size();
}

/// All streams of the capture.
void leave(const Capture &capture) {
  std::erase_if(captures().streams, [&](const auto &each) { return each.second.capture.get() == &capture; });
  captures().count = captures().streams.size();
}

cudaError_t begin(cudaStream_t stream, cudaGraph_t graph, std::span<const cudaGraphNode_t> dependencies,
                  cudaStreamCaptureMode mode) {
  if (isLegacy(stream))
    return cudaErrorStreamCaptureUnsupported;
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return cudaErrorInvalidValue;
  if (find(stream))
    return cudaErrorIllegalState;
  for (const cudaGraphNode_t node : dependencies)
    if (!graphNodes().holds(node) || node->graph != graph)
      return cudaErrorInvalidValue;
  auto capture = std::make_shared<Capture>();
  capture->id = captures().nextId++;
  capture->ownsGraph = !graph;
  capture->graph = graph ? graph : makeGraph(GraphOwner::Part);
  capture->origin = keyOf(stream);
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  join(stream, std::move(capture), {dependencies.begin(), dependencies.end()});
  return cudaSuccess;
}

/// Whether what other streams have captured last is waited for in the origin.
bool isJoined(const Capture &capture) {
  const Participant &origin = captures().streams[capture.origin];
  for (const auto &[key, participant] : captures().streams) {
    if (participant.capture.get() != &capture || key == capture.origin)
      continue;
    for (const cudaGraphNode_t node : participant.dependencies)
      if (std::none_of(origin.dependencies.begin(), origin.dependencies.end(),
                       [&](cudaGraphNode_t last) { return comesBehind(last, node); }))
        return false;
  }
  return true;
}

cudaError_t end(cudaStream_t stream, cudaGraph_t *graph) {
  Participant *const participant = find(stream);
  if (!participant)
    return cudaErrorIllegalState;
  const std::shared_ptr<Capture> capture = participant->capture;
  if (capture->origin != keyOf(stream))
    return invalidate(*capture, cudaErrorStreamCaptureUnmatched);
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  cudaError_t error = cudaSuccess;
  if (capture->invalid)
    error = cudaErrorStreamCaptureInvalidated;
  else if (!isJoined(*capture))
    error = cudaErrorStreamCaptureUnjoined;
  leave(*capture);
  capture->invalid = true; // for events that were recorded in it
  *graph = error == cudaSuccess ? capture->graph : nullptr;
  if (!capture->ownsGraph)
    return error;
  if (error == cudaSuccess)
    capture->graph->isPart = false;
  else
    destroyGraph(capture->graph);
  return error;
}

} // namespace

bool isCaptured(cudaStream_t stream) {
  if (captures().count.load(std::memory_order_relaxed) == 0)
    return false;
  std::lock_guard lock(captures().mutex);
  return isLegacy(stream) ? !blocking().empty() : find(stream) != nullptr;
}

cudaError_t captureWork(cudaStream_t stream, Work work) {
  std::lock_guard lock(captures().mutex);
  if (isLegacy(stream))
    return invalidateBlocking();
  Participant *const participant = find(stream);
  if (!participant || participant->capture->invalid)
    return cudaErrorStreamCaptureInvalidated;
  cudaError_t error = cudaSuccess;
  const cudaGraphNode_t node =
      addNode(participant->capture->graph, std::move(work), participant->dependencies, error);
  if (!node)
    return invalidate(*participant->capture, error);
  participant->dependencies = {node};
  return cudaSuccess;
}

cudaError_t refuseCapture(cudaStream_t stream) {
  std::lock_guard lock(captures().mutex);
  if (isLegacy(stream))
    return invalidateBlocking();
  Participant *const participant = find(stream);
  return participant ? invalidate(*participant->capture, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t checkUnsafeCall() {
  if (captures().count.load(std::memory_order_relaxed) == 0 || threadMode == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  std::lock_guard lock(captures().mutex);
  cudaError_t error = cudaSuccess;
  for (auto &[key, participant] : captures().streams) {
    Capture &capture = *participant.capture;
    const bool own = capture.thread == std::this_thread::get_id();
    if (own ? capture.mode != cudaStreamCaptureModeRelaxed
            : capture.mode == cudaStreamCaptureModeGlobal && threadMode == cudaStreamCaptureModeGlobal)
      error = invalidate(capture, cudaErrorStreamCaptureUnsupported);
  }
  return error;
}

cudaError_t checkDeviceCall() {
  if (captures().count.load(std::memory_order_relaxed) == 0)
    return cudaSuccess;
  std::lock_guard lock(captures().mutex);
  cudaError_t error = cudaSuccess;
  for (auto &[key, participant] : captures().streams)
    error = invalidate(*participant.capture, cudaErrorStreamCaptureUnsupported);
  return error;
}

cudaError_t refuseEventQuery(const EventCapture &event) {
  std::lock_guard lock(captures().mutex);
  return invalidate(*event.capture, cudaErrorCapturedEvent);
}

std::shared_ptr<EventCapture> captureEvent(cudaStream_t stream) {
  std::lock_guard lock(captures().mutex);
  Participant *const participant = find(stream);
  if (!participant)
    return nullptr;
  return std::make_shared<EventCapture>(EventCapture{participant->capture, participant->dependencies});
}

cudaError_t captureWait(cudaStream_t stream, const EventCapture *event) {
  std::lock_guard lock(captures().mutex);
  Participant *const participant = find(stream);
  if (!event)
    return participant ? invalidate(*participant->capture, cudaErrorStreamCaptureIsolation) : cudaSuccess;
  if (event->capture->invalid)
    return cudaErrorStreamCaptureInvalidated;
  if (isLegacy(stream))
    return invalidate(*event->capture, cudaErrorStreamCaptureImplicit);
  if (!participant) {
    join(stream, event->capture, event->nodes);
    return cudaSuccess;
  }
  if (participant->capture != event->capture) {
    invalidate(*participant->capture, cudaErrorStreamCaptureMerge);
    return invalidate(*event->capture, cudaErrorStreamCaptureMerge);
  }
  add(participant->dependencies, event->nodes);
  return cudaSuccess;
}

void forgetStream(cudaStream_t stream) {
  std::lock_guard lock(captures().mutex);
  Participant *const participant = find(stream);
  if (!participant)
    return;
  const std::shared_ptr<Capture> capture = participant->capture;
  capture->invalid = true;
  captures().streams.erase(keyOf(stream));
  if (capture->origin == keyOf(stream)) { // nobody can end it any more
    leave(*capture);
    if (capture->ownsGraph)
      destroyGraph(capture->graph);
  }
  captures().count = captures().streams.size();
}

} // namespace cupr::cpu

using namespace cupr::cpu;

CUPR_CPU_API(cudaStreamBeginCapture)(cudaStream_t stream, cudaStreamCaptureMode mode) {
  std::lock_guard lock(captures().mutex);
  return answer(begin(stream, nullptr, {}, mode));
}

CUPR_CPU_API(cudaStreamBeginCaptureToGraph)
(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *,
 size_t count, cudaStreamCaptureMode mode) {
  std::lock_guard lock(captures().mutex);
  if (!graphs().holds(graph) || (count && !dependencies))
    return answer(cudaErrorInvalidValue);
  return answer(begin(stream, graph, {dependencies, count}, mode));
}

CUPR_CPU_API(cudaStreamEndCapture)(cudaStream_t stream, cudaGraph_t *graph) {
  std::lock_guard lock(captures().mutex);
  return answer(graph ? end(stream, graph) : cudaErrorInvalidValue);
}

CUPR_CPU_API(cudaStreamGetCaptureInfo)
(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
 const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *count) {
  if (!status)
    return answer(cudaErrorInvalidValue);
  std::lock_guard lock(captures().mutex);
  if (isLegacy(stream) && !blocking().empty())
    return answer(cudaErrorStreamCaptureImplicit);
  Participant *const participant = find(stream);
  *status = !participant                    ? cudaStreamCaptureStatusNone
            : participant->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
  if (*status != cudaStreamCaptureStatusActive)
    return answer(cudaSuccess);
  participant->edges.assign(participant->dependencies.size(), {});
  if (id)
    *id = participant->capture->id;
  if (graph)
    *graph = participant->capture->graph;
  if (dependencies)
    *dependencies = participant->dependencies.data();
  if (edges)
    *edges = participant->edges.data();
  if (count)
    *count = participant->dependencies.size();
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaStreamIsCapturing)(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return cupr_cpu_cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

CUPR_CPU_API(cudaStreamUpdateCaptureDependencies)
(cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *, size_t count,
 unsigned flags) {
  std::lock_guard lock(captures().mutex);
  Participant *const participant = find(stream);
  if (!participant)
    return answer(cudaErrorIllegalState);
  for (std::size_t i = 0; i < count; ++i)
    if (!graphNodes().holds(dependencies[i]) || dependencies[i]->graph != participant->capture->graph)
      return answer(cudaErrorInvalidValue);
  if (flags & cudaStreamSetCaptureDependencies)
    participant->dependencies.clear();
  add(participant->dependencies, {dependencies, count});
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaThreadExchangeStreamCaptureMode)(cudaStreamCaptureMode *mode) {
  std::swap(threadMode, *mode);
  return answer(cudaSuccess);
}

extern "C" int cuprCpuIsCapturing(cudaStream_t stream) { return isCaptured(stream); }

/// What code of the host tells of its accesses, and the calls by which it may learn, without waiting, that work is over: behind these nothing
/// is claimed of what was called before.
#include "devicelib/abi/host_access.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"
#include "per_thread_stream.h"

#include <cuda_runtime_api.h>
#include <memory>

using namespace cupr::host;

namespace {

HostAccesses *accesses() {
  Session *const session = HostAccesses::current() ? Session::current() : nullptr;
  return session ? session->events().accesses() : nullptr;
}

/// An answer that says whether work is over.
cudaError_t asked(cudaError_t result) {
  if (HostAccesses *const told = accesses(); told && result == cudaSuccess)
    told->mayHaveWaited();
  return result;
}

/// A function of the host in a stream may tell others of what was before it. What it accesses itself comes behind that,
/// and in front of what follows in the stream, while the host's calls have gone on: it is left out, as inside of a call.
class InStream {
public:
  InStream() : calls_(ThreadCalls::ofThread()) { calls_.enter(); }
  ~InStream() { calls_.leave(); }
  InStream(const InStream &) = delete;
  InStream &operator=(const InStream &) = delete;

private:
  ThreadCalls &calls_;
};

struct HostFunction {
  cudaHostFn_t function;
  void *data;
};
void runFunction(void *data) {
  const std::unique_ptr<HostFunction> own(static_cast<HostFunction *>(data));
  const InStream inStream;
  own->function(own->data);
}

struct Callback {
  cudaStreamCallback_t function;
  void *data;
};
void runCallback(cudaStream_t stream, cudaError_t status, void *data) {
  const std::unique_ptr<Callback> own(static_cast<Callback *>(data));
  const InStream inStream;
  own->function(stream, status, own->data);
}

/// `call(function, data)` puts it into the stream. Of one that a graph keeps, nobody knows when it runs.
template <class Function, class Call>
cudaError_t putIntoStream(cudaStream_t stream, Function function, void *data, Function run, auto made,
                          Call call) {
  Session *const session = accesses() ? Session::current() : nullptr;
  if (!session || !function)
    return call(function, data);
  if (session->events().streams().isCapturing(stream)) {
    session->events().accesses()->mayKnowOfAll();
    return call(function, data);
  }
  session->events().accesses()->mayHaveWaited();
  auto wrapped = std::make_unique<decltype(made)>(made);
  auto *const own = wrapped.release(); // the function's, which may be over before the call is
  const cudaError_t result = call(run, own);
  if (result != cudaSuccess)
    wrapped.reset(own);
  return result;
}

cudaError_t mayKnowOfAll(cudaError_t result) {
  if (HostAccesses *const told = accesses())
    told->mayKnowOfAll();
  return result;
}

} // namespace

extern "C" {

void CUPR_VERSIONED(cuprHostTells_v)() noexcept { HostAccesses::tellOfThem(); }

void CUPR_VERSIONED(cuprHostAccess_v)(const void *address, std::uint64_t bytes, std::uint32_t flags,
                                      std::uint64_t place) noexcept {
  if (HostAccesses *const told = HostAccesses::current())
    told->note({asNumber(address), bytes, flags, place}, callersRegisters());
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream);
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                       unsigned flags);

/// Behind which, if it succeeds, the host knows that work is over, or may.
#define CUPR_MAY_WAIT(name, parameters, arguments)                                                           \
  cudaError_t cupr_hook_##name parameters { return asked(CUPR_BACKEND(name) arguments); }

CUPR_MAY_WAIT(cudaStreamQuery, (cudaStream_t stream), (stream))
CUPR_MAY_WAIT(cudaStreamQuery_ptsz, (cudaStream_t stream), (stream))
CUPR_MAY_WAIT(cudaEventQuery, (cudaEvent_t event), (event))
CUPR_MAY_WAIT(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t begin, cudaEvent_t end),
              (milliseconds, begin, end))
CUPR_MAY_WAIT(cudaMemcpy3D, (const cudaMemcpy3DParms *parameters), (parameters))
CUPR_MAY_WAIT(cudaMemcpy3DPeer, (const cudaMemcpy3DPeerParms *parameters), (parameters))
CUPR_MAY_WAIT(cudaMemcpyPeer, (void *to, int toDevice, const void *from, int fromDevice, std::size_t bytes),
              (to, toDevice, from, fromDevice, bytes))
CUPR_MAY_WAIT(cudaMemcpy2DToArray,
              (cudaArray_t to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
               std::size_t width, std::size_t height, cudaMemcpyKind kind),
              (to, x, y, from, pitch, width, height, kind))
CUPR_MAY_WAIT(cudaMemcpy2DFromArray,
              (void *to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
               std::size_t width, std::size_t height, cudaMemcpyKind kind),
              (to, pitch, from, x, y, width, height, kind))
CUPR_MAY_WAIT(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent extent), (to, value, extent))

cudaError_t cupr_hook_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return putIntoStream(
      stream, function, data, runFunction, HostFunction{function, data},
      [&](cudaHostFn_t put, void *given) { return CUPR_BACKEND(cudaLaunchHostFunc)(stream, put, given); });
}

cudaError_t cupr_hook_cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return putIntoStream(perThread(stream), function, data, runFunction, HostFunction{function, data},
                       [&](cudaHostFn_t put, void *given) {
                         return CUPR_BACKEND(cudaLaunchHostFunc_ptsz)(stream, put, given);
                       });
}

cudaError_t cupr_hook_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                            unsigned flags) {
  return putIntoStream(stream, function, data, runCallback, Callback{function, data},
                       [&](cudaStreamCallback_t put, void *given) {
                         return CUPR_BACKEND(cudaStreamAddCallback)(stream, put, given, flags);
                       });
}

cudaError_t cupr_hook_cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t function,
                                                 void *data, unsigned flags) {
  return putIntoStream(perThread(stream), function, data, runCallback, Callback{function, data},
                       [&](cudaStreamCallback_t put, void *given) {
                         return CUPR_BACKEND(cudaStreamAddCallback_ptsz)(stream, put, given, flags);
                       });
}

cudaError_t cupr_hook_cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, std::size_t count,
                                           const cudaHostNodeParams *parameters) {
  return mayKnowOfAll(CUPR_BACKEND(cudaGraphAddHostNode)(node, graph, dependencies, count, parameters));
}

cudaError_t cupr_hook_cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies, std::size_t count,
                                                  cudaEvent_t event) {
  return mayKnowOfAll(CUPR_BACKEND(cudaGraphAddEventRecordNode)(node, graph, dependencies, count, event));
}
}

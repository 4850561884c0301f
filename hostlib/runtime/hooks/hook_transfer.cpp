/// Copies, sets and synchronisations, as the program makes them: the host is a
/// writer and a reader of global memory too, and these calls give launches their
/// order.
///
/// They are recorded when the call has succeeded. The variants for per-thread
/// default streams (`_ptsz`) name stream 0 as that thread's.
#include "hostlib/runtime/kernels/registration.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"
#include "per_thread_stream.h"

#include <cuda_runtime_api.h>

using namespace cupr::host;
using cupr::trace::Copy;
using cupr::trace::Set;
using cupr::trace::Synchronisation;

namespace {

enum class Timing { Blocking, Asynchronous };

cudaError_t copied(cudaError_t result, void *destination, std::size_t destinationPitch, const void *source,
                   std::size_t sourcePitch, std::size_t rowBytes, std::size_t rows, cudaMemcpyKind kind,
                   Timing timing, cudaStream_t stream) {
  Session *const session = Session::current();
  if (result != cudaSuccess || !session)
    return result;
  Copy copy;
  copy.destination = asNumber(destination);
  copy.source = asNumber(source);
  copy.rowBytes = rowBytes;
  copy.rows = rows;
  copy.destinationPitch = destinationPitch;
  copy.sourcePitch = sourcePitch;
  copy.asynchronous = timing == Timing::Asynchronous;
  session->contained([&] { session->events().copied(copy, kind, stream); });
  return result;
}

cudaError_t wasSet(cudaError_t result, void *destination, std::size_t pitch, std::size_t rowBytes,
                   std::size_t rows, Timing timing, cudaStream_t stream) {
  Session *const session = Session::current();
  if (result != cudaSuccess || !session)
    return result;
  Set set;
  set.destination = asNumber(destination);
  set.rowBytes = rowBytes;
  set.rows = rows;
  set.pitch = pitch;
  set.asynchronous = timing == Timing::Asynchronous;
  session->contained([&] { session->events().wasSet(set, stream); });
  return result;
}

cudaError_t synchronised(cudaError_t result, Synchronisation::Kind kind, cudaStream_t stream,
                         const void *event) {
  Session *const session = Session::current();
  if (result == cudaSuccess && session)
    session->contained([&] { session->events().synchronised(kind, stream, asNumber(event)); });
  return result;
}

/// In front of a copy.
void beforeCopy(const void *destination, std::size_t bytes, cudaMemcpyKind kind, Timing timing,
                cudaStream_t stream) {
  if (Session *const session = Session::current())
    session->beforeWaiting(
        stream, [&] { return waitsForDevice(kind, destination, bytes, timing == Timing::Asynchronous); });
}

} // namespace

extern "C" {

cudaError_t cupr_hook_cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  const ApiCall apiCall;
  beforeCopy(to, bytes, kind, Timing::Blocking, nullptr);
  return copied(CUPR_BACKEND(cudaMemcpy)(to, from, bytes, kind), to, bytes, from, bytes, bytes, 1, kind,
                Timing::Blocking, nullptr);
}

cudaError_t cupr_hook_cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  const ApiCall apiCall;
  beforeCopy(to, bytes, kind, Timing::Asynchronous, stream);
  return copied(CUPR_BACKEND(cudaMemcpyAsync)(to, from, bytes, kind, stream), to, bytes, from, bytes, bytes,
                1, kind, Timing::Asynchronous, stream);
}

cudaError_t cupr_hook_cudaMemcpy2D(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                                   std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  const ApiCall apiCall;
  beforeCopy(to, width * height, kind, Timing::Blocking, nullptr);
  return copied(CUPR_BACKEND(cudaMemcpy2D)(to, toPitch, from, fromPitch, width, height, kind), to, toPitch,
                from, fromPitch, width, height, kind, Timing::Blocking, nullptr);
}

cudaError_t cupr_hook_cudaMemcpy2DAsync(void *to, std::size_t toPitch, const void *from,
                                        std::size_t fromPitch, std::size_t width, std::size_t height,
                                        cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall apiCall;
  beforeCopy(to, width * height, kind, Timing::Asynchronous, stream);
  return copied(CUPR_BACKEND(cudaMemcpy2DAsync)(to, toPitch, from, fromPitch, width, height, kind, stream),
                to, toPitch, from, fromPitch, width, height, kind, Timing::Asynchronous, stream);
}

cudaError_t cupr_hook_cudaMemcpyToSymbol(const void *symbol, const void *from, std::size_t bytes,
                                         std::size_t offset, cudaMemcpyKind kind) {
  const ApiCall apiCall;
  beforeCopy(nullptr, bytes, kind == cudaMemcpyDefault ? cudaMemcpyHostToDevice : kind, Timing::Blocking,
             nullptr);
  return copied(CUPR_BACKEND(cudaMemcpyToSymbol)(symbol, from, bytes, offset, kind),
                symbolAddress(symbol, offset), bytes, from, bytes, bytes, 1, kind, Timing::Blocking, nullptr);
}

cudaError_t cupr_hook_cudaMemcpyToSymbolAsync(const void *symbol, const void *from, std::size_t bytes,
                                              std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  const ApiCall apiCall;
  return copied(CUPR_BACKEND(cudaMemcpyToSymbolAsync)(symbol, from, bytes, offset, kind, stream),
                symbolAddress(symbol, offset), bytes, from, bytes, bytes, 1, kind, Timing::Asynchronous,
                stream);
}

cudaError_t cupr_hook_cudaMemcpyFromSymbol(void *to, const void *symbol, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  const ApiCall apiCall;
  beforeCopy(to, bytes, kind, Timing::Blocking, nullptr);
  return copied(CUPR_BACKEND(cudaMemcpyFromSymbol)(to, symbol, bytes, offset, kind), to, bytes,
                symbolAddress(symbol, offset), bytes, bytes, 1, kind, Timing::Blocking, nullptr);
}

cudaError_t cupr_hook_cudaMemcpyFromSymbolAsync(void *to, const void *symbol, std::size_t bytes,
                                                std::size_t offset, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  const ApiCall apiCall;
  beforeCopy(to, bytes, kind, Timing::Asynchronous, stream);
  return copied(CUPR_BACKEND(cudaMemcpyFromSymbolAsync)(to, symbol, bytes, offset, kind, stream), to, bytes,
                symbolAddress(symbol, offset), bytes, bytes, 1, kind, Timing::Asynchronous, stream);
}

cudaError_t cupr_hook_cudaMemset(void *to, int value, std::size_t bytes) {
  const ApiCall apiCall;
  return wasSet(CUPR_BACKEND(cudaMemset)(to, value, bytes), to, bytes, bytes, 1, Timing::Blocking, nullptr);
}

cudaError_t cupr_hook_cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t stream) {
  const ApiCall apiCall;
  return wasSet(CUPR_BACKEND(cudaMemsetAsync)(to, value, bytes, stream), to, bytes, bytes, 1,
                Timing::Asynchronous, stream);
}

cudaError_t cupr_hook_cudaMemset2D(void *to, std::size_t pitch, int value, std::size_t width,
                                   std::size_t height) {
  const ApiCall apiCall;
  return wasSet(CUPR_BACKEND(cudaMemset2D)(to, pitch, value, width, height), to, pitch, width, height,
                Timing::Blocking, nullptr);
}

cudaError_t cupr_hook_cudaMemset2DAsync(void *to, std::size_t pitch, int value, std::size_t width,
                                        std::size_t height, cudaStream_t stream) {
  const ApiCall apiCall;
  return wasSet(CUPR_BACKEND(cudaMemset2DAsync)(to, pitch, value, width, height, stream), to, pitch, width,
                height, Timing::Asynchronous, stream);
}

cudaError_t cupr_hook_cudaDeviceSynchronize() {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaDeviceSynchronize)(), Synchronisation::Kind::Device, nullptr, nullptr);
}

cudaError_t cupr_hook_cudaStreamSynchronize(cudaStream_t stream) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaStreamSynchronize)(stream), Synchronisation::Kind::Stream, stream,
                      nullptr);
}

cudaError_t cupr_hook_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaEventRecord)(event, stream), Synchronisation::Kind::EventRecord,
                      stream, event);
}

cudaError_t cupr_hook_cudaEventSynchronize(cudaEvent_t event) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaEventSynchronize)(event), Synchronisation::Kind::Event, nullptr,
                      event);
}

cudaError_t cupr_hook_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaStreamWaitEvent)(stream, event, flags),
                      Synchronisation::Kind::StreamWaitEvent, stream, event);
}

cudaError_t cupr_hook_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaEventRecordWithFlags)(event, stream, flags),
                      Synchronisation::Kind::EventRecord, stream, event);
}

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);
cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                                 cudaStream_t stream);
cudaError_t cudaMemsetAsync_ptsz(void *to, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpy_ptds(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset_ptds(void *to, int value, std::size_t bytes);

cudaError_t cupr_hook_cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaStreamSynchronize_ptsz)(stream), Synchronisation::Kind::Stream,
                      perThread(stream), nullptr);
}

cudaError_t cupr_hook_cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaEventRecord_ptsz)(event, stream), Synchronisation::Kind::EventRecord,
                      perThread(stream), event);
}

cudaError_t cupr_hook_cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaEventRecordWithFlags_ptsz)(event, stream, flags),
                      Synchronisation::Kind::EventRecord, perThread(stream), event);
}

cudaError_t cupr_hook_cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  const ApiCall apiCall;
  return synchronised(CUPR_BACKEND(cudaStreamWaitEvent_ptsz)(stream, event, flags),
                      Synchronisation::Kind::StreamWaitEvent, perThread(stream), event);
}

cudaError_t cupr_hook_cudaMemcpyAsync_ptsz(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                                           cudaStream_t stream) {
  const ApiCall apiCall;
  beforeCopy(to, bytes, kind, Timing::Asynchronous, perThread(stream));
  return copied(CUPR_BACKEND(cudaMemcpyAsync_ptsz)(to, from, bytes, kind, stream), to, bytes, from, bytes,
                bytes, 1, kind, Timing::Asynchronous, perThread(stream));
}

cudaError_t cupr_hook_cudaMemsetAsync_ptsz(void *to, int value, std::size_t bytes, cudaStream_t stream) {
  const ApiCall apiCall;
  return wasSet(CUPR_BACKEND(cudaMemsetAsync_ptsz)(to, value, bytes, stream), to, bytes, bytes, 1,
                Timing::Asynchronous, perThread(stream));
}

cudaError_t cupr_hook_cudaMemcpy_ptds(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  const ApiCall apiCall;
  beforeCopy(to, bytes, kind, Timing::Blocking, cudaStreamPerThread);
  return copied(CUPR_BACKEND(cudaMemcpy_ptds)(to, from, bytes, kind), to, bytes, from, bytes, bytes, 1, kind,
                Timing::Blocking, cudaStreamPerThread);
}

cudaError_t cupr_hook_cudaMemset_ptds(void *to, int value, std::size_t bytes) {
  const ApiCall apiCall;
  return wasSet(CUPR_BACKEND(cudaMemset_ptds)(to, value, bytes), to, bytes, bytes, 1, Timing::Blocking,
                cudaStreamPerThread);
}
}

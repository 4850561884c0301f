/// Stream capture: what is given to a capturing stream becomes nodes of a graph, each behind what the stream
/// has captured before, instead of being done.
///
/// A capture begins in one stream, its origin. Another stream joins it by waiting for an event that was
/// recorded in it, and must be waited for in the end. A call that can't be captured, because it would need
/// results or touch work outside, fails and invalidates the capture, which must still be ended (CUDA
/// programming guide, "Creating a Graph Using Stream Capture"; cudaThreadExchangeStreamCaptureMode).
///
/// Threads: all from any thread.
#ifndef CUPR_CPU_CAPTURE_H
#define CUPR_CPU_CAPTURE_H

#include "graph.h"

#include <memory>
#include <vector>

namespace cupr::cpu {

struct Capture;

/// What an event stands for that was recorded in a capturing stream.
struct EventCapture {
  std::shared_ptr<Capture> capture;
  std::vector<cudaGraphNode_t> nodes;
};

/// Whether work for this stream must go to captureWork. So it is also for the legacy stream where a
/// stream that is captured waits for it.
bool isCaptured(cudaStream_t stream);
/// Makes the work a node. The call's answer.
cudaError_t captureWork(cudaStream_t stream, Work work);
/// For calls that can't be captured: the call's answer, after the capture has been invalidated.
cudaError_t refuseCapture(cudaStream_t stream);

/// cudaSuccess, or what a call answers that isn't safe while the calling thread captures (cudaMalloc, for
/// one).
cudaError_t checkUnsafeCall();
/// The same for a call that waits for all streams.
cudaError_t checkDeviceCall();
/// The same for a call that asks for the state of an event which was recorded in a capturing stream.
cudaError_t refuseEventQuery(const EventCapture &event);

/// An event that is recorded in a capturing stream.
std::shared_ptr<EventCapture> captureEvent(cudaStream_t stream);
/// The stream waits for an event: `event` is null where that was recorded outside of captures.
cudaError_t captureWait(cudaStream_t stream, const EventCapture *event);

/// The stream is about to be destroyed.
void forgetStream(cudaStream_t stream);

} // namespace cupr::cpu

#endif

/// What the tracer asks about a stream, on either device: its number, its kind, and whether it is being captured.
/// The answers leave the program's cudaGetLastError as it is.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_STREAMS_H
#define CUPR_RUNTIME_STREAMS_H

#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/trace/events.h"

#include <cuda_runtime_api.h>

namespace cupr::host {

class Streams {
public:
  explicit Streams(DeviceKind device) : device_(device) {}

  /// Never reused; 0 where nobody can tell.
  std::uint64_t id(cudaStream_t stream) const;
  trace::StreamKind kind(cudaStream_t stream) const;
  /// Whether what is launched on the stream becomes a node of a graph instead of running.
  bool isCapturing(cudaStream_t stream) const;

  /// Says in an act where it was put.
  template <typename Act> void name(cudaStream_t stream, Act &act) const {
    act.stream = id(stream);
    act.streamKind = kind(stream);
  }

private:
  const DeviceKind device_;
};

} // namespace cupr::host

#endif

/// The null stream of calls that were compiled with a default stream for each thread.
#ifndef CUPR_RUNTIME_PER_THREAD_STREAM_H
#define CUPR_RUNTIME_PER_THREAD_STREAM_H

#include <cuda_runtime_api.h>

namespace cupr::host {

/// What the `_ptsz` variants mean by the null stream; to the others it is the legacy one.
inline cudaStream_t perThread(cudaStream_t stream) { return stream ? stream : cudaStreamPerThread; }

} // namespace cupr::host

#endif

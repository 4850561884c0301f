/// Calls of the program that wait for the GPU, such as `cudaMemcpy` right behind a launch.
///
/// Problem: such a call holds the driver while the kernel in front of it still runs. The thread that brings the kernel's records needs
/// the driver, too: the record buffer fills, and all that is left is the slow way, in which a warp copies pages itself. A BFS with a copy behind
/// each launch took 124 ms instead of 9 (H200).
///
/// So, while launches are traced, the wait comes first, without the driver: an event in the call's stream is looked at until it has
/// happened. It comes behind the same work as the call does, so nothing is waited for that the call would not have waited for.
#ifndef CUPR_RUNTIME_BLOCKING_CALL_H
#define CUPR_RUNTIME_BLOCKING_CALL_H

#include <cstddef>
#include <cuda_runtime_api.h>

namespace cupr::host {

/// Waits until the work in front of a call in `stream` is done. Errors are left to the call. Any thread.
void waitWithoutDriver(cudaStream_t stream);

/// Whether a copy waits for what is in front of it before the call returns (CUDA runtime API, "API synchronization
/// behavior"): not where it may be put aside, as up to 64 KiB to the device may, and not between memory of the device. An
/// asynchronous one only if it goes to memory of the host that CUDA has not pinned.
bool waitsForDevice(cudaMemcpyKind kind, const void *destination, std::size_t bytes, bool isAsynchronous);

} // namespace cupr::host

#endif

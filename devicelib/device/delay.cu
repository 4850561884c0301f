/// The delay kernel: keeps a stream busy for a while, so that what the host puts behind it meanwhile runs without gaps
/// (hostlib/runtime/session/launch_timer.h). One thread.
#include "queue.cuh"

extern "C" __global__ void cuprDelay(cupr::device::u32 nanoseconds) {
  const cupr::device::u64 began = cupr::device::globalTime();
  while (cupr::device::globalTime() - began < nanoseconds) {
  }
}

/// The close kernel: runs behind each traced kernel in the same stream, pads what
/// is left of its open pages, and tells the host that the launch has ended
/// (abi/queue.h, "Close"). One block; the stream's order makes all commits of the
/// user's kernel visible to it.
#include "queue.cuh"

namespace {

using cupr::device::u32;
using cupr::device::u64;

constexpr u32 kThreads = 128;

} // namespace

/// `ends` is a ring of `mask + 1` entries in host memory, `taken` the host's count of
/// entries it has read. `sequence` counts the launches of this channel, from 1.
extern "C" __global__ void __launch_bounds__(kThreads)
    cuprClose(const __grid_constant__ cupr::Trace trace, cupr::abi::LaunchEnd *ends, std::uint64_t *taken,
              u32 mask, u64 sequence) {
  __shared__ u64 waits[kThreads];
  waits[threadIdx.x] = 0;
  for (u32 index = threadIdx.x; index <= trace.binMask; index += kThreads) {
    const cupr::device::BinWriter bin(trace, index);
    const u64 position = trace.bins[index].reserved;
    const u32 used = static_cast<u32>(position) & (bin.pageBytes() - 1);
    if (used) {
      // The page holds records already, so it is free to be written.
      const u32 rest = bin.pageBytes() - used;
      bin.claim(rest);
      bin.pad(position, rest);
      bin.commit(position, rest);
    }
    waits[threadIdx.x] += trace.bins[index].waits;
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  u64 sum = 0;
  for (const u64 count : waits)
    sum += count;
  u32 pause = 64;
  while (sequence > cupr::device::loadAcquireSystem(taken) + mask + 1) {
    __nanosleep(pause);
    pause = pause < 8192 ? pause * 2 : pause;
  }
  cupr::abi::LaunchEnd &end = ends[(sequence - 1) & mask];
  end.launch = trace.launch;
  end.waits = sum;
  end.reserved = 0;
  cupr::device::storeReleaseSystem(&end.sequence, sequence);
}

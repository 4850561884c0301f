/// The close kernel: runs behind each traced kernel in the same stream, seals the open page of every bin, and
/// tells the host that the launch has ended and where its records end (abi/queue.h, "Close"). One block; the
/// stream's order makes all commits of the user's kernel visible to it.
#include "queue.cuh"

namespace {

using cupr::device::u32;
using cupr::device::u64;

constexpr u32 kThreads = 128;

/// Takes what Trace::tally holds to the host, and sets it back to 0. Several words at a time are under way: a large grid
/// has megabytes of them.
__device__ inline void moveTally(const cupr::Trace &trace, u64 *noted) {
  constexpr u32 kBatch = 8;
  for (u32 first = threadIdx.x; first < trace.tallyWords; first += kBatch * kThreads) {
    u64 words[kBatch];
#pragma unroll
    for (u32 i = 0; i < kBatch; ++i)
      if (const u32 at = first + i * kThreads; at < trace.tallyWords)
        words[i] = trace.tally[at];
#pragma unroll
    for (u32 i = 0; i < kBatch; ++i)
      if (const u32 at = first + i * kThreads; at < trace.tallyWords) {
        noted[at] = words[i];
        trace.tally[at] = 0;
      }
  }
}

} // namespace

/// `ends` is a ring of `mask + 1` entries in host memory, each with binMask + 1 elements of `positions`: what
/// the launch has recorded lies below them. `taken` is the host's count of entries it has read, `tickets`
/// (device memory) that of entries given out. `noted` (host memory) gets what Trace::tally holds, which
/// is 0 again then.
extern "C" __global__ void __launch_bounds__(kThreads)
    cuprClose(const __grid_constant__ cupr::Trace trace, cupr::abi::LaunchEnd *ends, u64 *positions,
              const u64 *taken, u64 *tickets, u32 mask, u64 *noted) {
  const cupr::device::GpuMemory memory;
  __shared__ u64 entry;
  const u64 ended = cupr::device::globalTime();
  if (threadIdx.x == 0) {
    entry = atomicAdd(tickets, 1ull);
    for (u32 time = 0; entry >= memory.loadHost(taken) + mask + 1;)
      memory.pause(time);
  }
  __syncthreads();
  const u32 bins = trace.binMask + 1;
  for (u32 index = threadIdx.x; index < bins; index += kThreads)
    positions[(entry & mask) * bins + index] = cupr::device::BinWriter(trace, index).seal();
  moveTally(trace, noted);
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  cupr::abi::LaunchEnd &end = ends[entry & mask];
  end.launch = trace.launch;
  end.began = atomicExch(&trace.link->begins[trace.launch % cupr::abi::kWaitCounts], 0ull);
  end.ended = ended;
  end.waits = atomicExch(&trace.link->waits[trace.launch % cupr::abi::kWaitCounts], 0ull);
  u64 *const drops = trace.link->drops;
  end.drops = drops ? atomicExch(&drops[trace.launch % cupr::abi::kLaunchTags], 0ull) : 0;
  memory.storeHost(&end.ticket, entry + 1);
}

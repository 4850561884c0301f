/// The close kernel: runs behind each traced kernel in the same stream, seals the open page of every bin, and
/// tells the host that the launch has ended and where its records end (abi/queue.h, "Close"). One block; the
/// stream's order makes all commits of the user's kernel visible to it.
#include "queue.cuh"

namespace {

using cupr::device::u32;
using cupr::device::u64;

constexpr u32 kThreads = 128;

} // namespace

/// `ends` is a ring of `mask + 1` entries in host memory, each with binMask + 1 elements of `positions`: what
/// the launch has recorded lies below them. `taken` is the host's count of entries it has read, `tickets`
/// (device memory) that of entries given out. `counted` (host memory) gets what Trace::siteCounts holds,
/// which is 0 again then.
extern "C" __global__ void __launch_bounds__(kThreads)
    cuprClose(const __grid_constant__ cupr::Trace trace, cupr::abi::LaunchEnd *ends, u64 *positions,
              const u64 *taken, u64 *tickets, u32 mask, u64 *counted) {
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
  for (u32 site = threadIdx.x; site < trace.countedSites; site += kThreads)
    counted[site] = atomicExch(&trace.siteCounts[site], 0ull);
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

/// The producer of D. S. Rieber, Characterization of GPU Communication, 2017 (section 5.4.1),
/// behind the hooks that the pass calls: see queue.h.
#include "queue.h"

#include "devicelib/abi/hooks.h"
#include "devicelib/abi/trace_argument.h"

extern "C" {
extern __device__ reference::Queue referenceQueue;
}

namespace {

using u64 = unsigned long long;

__device__ inline u64 load(const u64 *address) { return *const_cast<const volatile u64 *>(address); }

/// Adds to the acknowledged records; the one that completes a buffer tells the host.
__device__ inline void acknowledge(unsigned bin, unsigned records) {
  __threadfence_system();
  const u64 done = atomicAdd(&referenceQueue.counts[bin].acknowledged, static_cast<u64>(records)) + records;
  if ((done & ((1ull << referenceQueue.recordsLog2) - 1)) != 0)
    return;
  __threadfence_system();
  *const_cast<volatile u64 *>(&referenceQueue.filled[bin]) = done >> referenceQueue.recordsLog2;
}

__device__ inline void waitForBuffer(unsigned bin, u64 filling) {
  while (load(&referenceQueue.evacuated[bin]) < filling)
    ;
  __threadfence_system();
}

__device__ inline reference::Record *place(unsigned bin, u64 position) {
  return referenceQueue.records + (static_cast<u64>(bin) << referenceQueue.recordsLog2) +
         (position & ((1ull << referenceQueue.recordsLog2) - 1));
}

__device__ inline void pad(unsigned bin, u64 position, unsigned records) {
  for (unsigned i = 0; i < records; ++i)
    place(bin, position + i)->description = 0;
  atomicAdd(&referenceQueue.counts[bin].pads, static_cast<u64>(records));
  acknowledge(bin, records);
}

/// Space for `records` in one buffer, for the whole warp.
__device__ __noinline__ u64 reserve(unsigned bin, unsigned records) {
  while (true) {
    const u64 position = atomicAdd(&referenceQueue.counts[bin].reserved, static_cast<u64>(records));
    const u64 first = position >> referenceQueue.recordsLog2,
              last = (position + records - 1) >> referenceQueue.recordsLog2;
    waitForBuffer(bin, first);
    if (first == last)
      return position;
    const unsigned left = static_cast<unsigned>((last << referenceQueue.recordsLog2) - position);
    pad(bin, position, left);
    waitForBuffer(bin, last);
    pad(bin, position + left, records - left);
  }
}

__device__ __noinline__ void record(unsigned site, const void *address) {
  const unsigned active = __activemask();
  unsigned lane, sm;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned bin = sm & ((1u << referenceQueue.binsLog2) - 1), leader = __ffs(active) - 1,
                 count = __popc(active);
  u64 position = 0;
  if (lane == leader)
    position = reserve(bin, count);
  position = __shfl_sync(active, position, leader) + __popc(active & ((1u << lane) - 1));
  const u64 cta = static_cast<u64>(blockIdx.x) << 32 | blockIdx.y << 16 | blockIdx.z;
  *place(bin, position) = {static_cast<u64>(sm) << 32 | (site + 1), reinterpret_cast<u64>(address), cta};
  __syncwarp(active);
  if (lane == leader)
    acknowledge(bin, count);
  __syncwarp(active);
}

} // namespace

#define SEED_HOOK extern "C" __device__ __attribute__((noinline)) void

extern "C" __device__
    __attribute__((always_inline)) bool CUPR_HOOK_SYMBOL(recording)(const cupr::Trace *trace) {
  return trace->launch != 0;
}
SEED_HOOK CUPR_HOOK_SYMBOL(access)(const cupr::Trace *, unsigned site, const void *address, bool recording) {
  if (recording)
    record(site, address);
}
SEED_HOOK CUPR_HOOK_SYMBOL(accesses_2)(const cupr::Trace *, bool recording, unsigned s0, const void *a0,
                                       unsigned s1, const void *a1) {
  if (!recording)
    return;
  record(s0, a0);
  record(s1, a1);
}
SEED_HOOK CUPR_HOOK_SYMBOL(accesses_3)(const cupr::Trace *trace, bool recording, unsigned s0, const void *a0,
                                       unsigned s1, const void *a1, unsigned s2, const void *a2) {
  CUPR_HOOK_SYMBOL(accesses_2)(trace, recording, s0, a0, s1, a1);
  CUPR_HOOK_SYMBOL(access)(trace, s2, a2, recording);
}
SEED_HOOK CUPR_HOOK_SYMBOL(accesses_4)(const cupr::Trace *trace, bool recording, unsigned s0, const void *a0,
                                       unsigned s1, const void *a1, unsigned s2, const void *a2, unsigned s3,
                                       const void *a3) {
  CUPR_HOOK_SYMBOL(accesses_2)(trace, recording, s0, a0, s1, a1);
  CUPR_HOOK_SYMBOL(accesses_2)(trace, recording, s2, a2, s3, a3);
}
SEED_HOOK CUPR_HOOK_SYMBOL(accesses_6)(const cupr::Trace *trace, bool recording, unsigned s0, const void *a0,
                                       unsigned s1, const void *a1, unsigned s2, const void *a2, unsigned s3,
                                       const void *a3, unsigned s4, const void *a4, unsigned s5,
                                       const void *a5) {
  CUPR_HOOK_SYMBOL(accesses_3)(trace, recording, s0, a0, s1, a1, s2, a2);
  CUPR_HOOK_SYMBOL(accesses_3)(trace, recording, s3, a3, s4, a4, s5, a5);
}

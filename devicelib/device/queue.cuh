/// The device's side of the queue: reserve, wait, commit. The protocol, the states
/// of a page and who moves them are in abi/queue.h.
///
/// Everything here is done by one lane, the leader of the lanes that are active
/// together: either the whole group has its space or the whole group waits
/// (seed 001, section 5.4.1).
#ifndef CUPR_DEVICE_QUEUE_CUH
#define CUPR_DEVICE_QUEUE_CUH

#include "devicelib/abi/queue.h"
#include "devicelib/abi/trace_argument.h"

namespace cupr {
namespace device {

using u32 = unsigned int;
using u64 = unsigned long long;

__device__ inline u32 laneId() {
  u32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ inline u32 smId() {
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// Matched by the host's release store when it has taken a page out.
__device__ inline u64 loadAcquireSystem(const std::uint64_t *address) {
  u64 value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

/// Matched by the host's acquire load of the same word.
__device__ inline void storeReleaseSystem(std::uint32_t *address, u32 value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}
__device__ inline void storeReleaseSystem(std::uint64_t *address, u64 value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(address), "l"(value) : "memory");
}

__device__ inline void storeWord(unsigned char *address, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(address), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}
__device__ inline void storeWord(unsigned char *address, u64 a, u64 b) {
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" : : "l"(address), "l"(a), "l"(b) : "memory");
}

/// One bin of a channel, as seen by one lane.
class BinWriter {
public:
  __device__ BinWriter(const Trace &trace, u32 binIndex) : trace_(trace), binIndex_(binIndex) {}

  __device__ u32 pageBytes() const { return 1u << trace_.pageBytesLog2; }

  __device__ u32 generation(u64 position) const { return static_cast<u32>(position >> trace_.pageBytesLog2); }

  __device__ unsigned char *address(u64 position) const {
    return trace_.pages + (static_cast<u64>(pageIndex(position)) << trace_.pageBytesLog2) +
           (position & (pageBytes() - 1));
  }

  /// Whether `bytes` at a claimed position lie in one page, behind its header, and may be
  /// written now.
  __device__ bool isReady(u64 position, u32 bytes) const {
    const u32 inPage = static_cast<u32>(position) & (pageBytes() - 1);
    return inPage != 0 && inPage + bytes <= pageBytes() && position + bytes <= limit();
  }

  /// Adds to the page's committed bytes what the calling lane, or lanes that it has
  /// synchronised with, have written there. The fence orders those writes before the
  /// count; whoever completes the page publishes it, and the counts that it has
  /// seen, with its release, carry all lanes' writes to the host.
  __device__ void commit(u64 position, u32 bytes) const {
    const u32 page = pageIndex(position);
    __threadfence();
    if (atomicAdd(trace_.commits + page, bytes) + bytes != pageBytes())
      return;
    __threadfence();
    // Nobody counts here again before the host has freed the page.
    *reinterpret_cast<volatile u32 *>(trace_.commits + page) = 0;
    storeReleaseSystem(trace_.published + page, generation(position) + 1);
  }

  /// Fills `bytes` from `position` on, in one page, with a pad.
  __device__ void pad(u64 position, u32 bytes) const {
    storeWord(address(position), static_cast<u32>(abi::RecordForm::Pad) << abi::kSiteBits,
              bytes / abi::kWordBytes, 0u, 0u);
  }

  /// Adds `bytes` (a multiple of 16, far below the page size) to the bin.
  __device__ u64 claim(u32 bytes) const {
    return atomicAdd(&trace_.bins[binIndex_].reserved, static_cast<u64>(bytes));
  }

  /// Makes a claimed position ready, if need be by filling it with a pad and claiming
  /// another. A page starts with its header; what else of a claim can't hold the record becomes a pad.
  __device__ u64 makeReady(u64 position, u32 bytes) const;

private:
  __device__ u32 pageIndex(u64 position) const {
    return (binIndex_ << trace_.pagesPerBinLog2) +
           (generation(position) & ((1u << trace_.pagesPerBinLog2) - 1));
  }

  /// Positions below this were free when somebody last looked. A plain volatile load: the
  /// write that depends on it can't be made before its value is known.
  __device__ u64 limit() const { return *reinterpret_cast<volatile u64 *>(&trace_.bins[binIndex_].limit); }

  __device__ void waitUntilFree(u64 end) const;
  __device__ void startPage(u64 position, u32 bytes) const {
    storeWord(address(position), trace_.launch,
              static_cast<u64>(generation(position)) | (static_cast<u64>(binIndex_) << 32));
    if (bytes > sizeof(abi::PageHeader))
      pad(position + sizeof(abi::PageHeader), bytes - static_cast<u32>(sizeof(abi::PageHeader)));
    commit(position, bytes);
  }

  const Trace &trace_;
  u32 binIndex_;
};

/// Reads the host's counter, over the link, only from here, and backs off: waiting
/// warps that poll host memory slow every transfer down.
__device__ inline void waitForHost(abi::Bin *bin, const std::uint64_t *freed, u64 capacity, u64 end) {
  u32 pause = 64;
  bool waited = false;
  while (true) {
    const u64 limit = loadAcquireSystem(freed) + capacity;
    if (limit >= end) {
      __threadfence();
      atomicMax(&bin->limit, limit);
      break;
    }
    if (!waited)
      atomicAdd(&bin->waits, 1ull);
    waited = true;
    __nanosleep(pause);
    pause = pause < 8192 ? pause * 2 : pause;
    if (*reinterpret_cast<volatile u64 *>(&bin->limit) >= end)
      break;
  }
}

__device__ inline void BinWriter::waitUntilFree(u64 end) const {
  if (end > limit())
    waitForHost(trace_.bins + binIndex_, trace_.freed + binIndex_,
                static_cast<u64>(pageBytes()) << trace_.pagesPerBinLog2, end);
}

__device__ inline u64 BinWriter::makeReady(u64 position, u32 bytes) const {
  while (true) {
    waitUntilFree(position + bytes);
    const u32 inPage = static_cast<u32>(position) & (pageBytes() - 1);
    if (inPage == 0) {
      startPage(position, bytes);
    } else if (inPage + bytes > pageBytes()) {
      const u32 first = pageBytes() - inPage;
      pad(position, first);
      commit(position, first);
      startPage(position + first, bytes - first);
    } else {
      return position;
    }
    position = claim(bytes);
  }
}

/// Reserves space for one record of the group `active`; the result is the leader's.
///
/// The whole group takes the slow way together, although only its leader works
/// there: a call that the leader makes alone leaves it apart from the others
/// beyond the next synchronisation (seen on an H200: the accesses that followed were recorded in two parts).
__device__ __noinline__ inline u64 makeReadyTogether(const Trace &trace, u32 binIndex, u64 position,
                                                     u32 bytes, u32 active) {
  if (laneId() == static_cast<u32>(__ffs(active) - 1))
    position = BinWriter(trace, binIndex).makeReady(position, bytes);
  __syncwarp(active);
  return position;
}

__device__ inline u64 reserve(const BinWriter &bin, const Trace &trace, u32 binIndex, u32 bytes, u32 active,
                              bool isLeader) {
  u64 position = 0;
  bool ready = true;
  if (isLeader) {
    position = bin.claim(bytes);
    ready = bin.isReady(position, bytes);
  }
  if (__all_sync(active, ready))
    return position;
  return makeReadyTogether(trace, binIndex, position, bytes, active);
}

} // namespace device
} // namespace cupr

#endif

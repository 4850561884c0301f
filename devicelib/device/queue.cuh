/// The queue on the GPU: what a memory operation of abi/bin_writer.h is there, and how a warp reserves
/// together.
#ifndef CUPR_DEVICE_QUEUE_CUH
#define CUPR_DEVICE_QUEUE_CUH

#include "devicelib/abi/bin_writer.h"

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

/// Nanoseconds, by the device's clock.
__device__ inline u64 globalTime() {
  u64 time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

struct GpuMemory {
  __device__ u64 add(u64 *address, u64 value) const { return atomicAdd(address, value); }
  __device__ u32 add(u32 *address, u32 value) const { return atomicAdd(address, value); }
  __device__ bool replace(u64 *address, u64 from, u64 to) const {
    return atomicCAS(address, from, to) == from;
  }
  __device__ bool replace(u32 *address, u32 from, u32 to) const {
    return atomicCAS(address, from, to) == from;
  }
  __device__ void raise(u64 *address, u64 value) const { atomicMax(address, value); }
  __device__ u64 load(const u64 *address) const { return *const_cast<const volatile u64 *>(address); }
  __device__ u32 load(const u32 *address) const { return *const_cast<const volatile u32 *>(address); }
  __device__ void store(u32 *address, u32 value) const { *const_cast<volatile u32 *>(address) = value; }
  __device__ void fence() const { __threadfence(); }
  /// Matched by the host's release stores of counts and requests.
  __device__ u64 loadHost(const u64 *address) const {
    u64 value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
  }
  /// Matched by the host's acquire load of the same word.
  __device__ void storeHost(u64 *address, u64 value) const {
    asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(address), "l"(value) : "memory");
  }
  __device__ void storeWord(unsigned char *address, u32 a, u32 b, u32 c, u32 d) const {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(address), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
  /// The source may have been written since this multiprocessor last read it: the caches are passed by.
  __device__ void copyWord(unsigned char *to, const unsigned char *from) const {
    u32 a, b, c, d;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from)
                 : "memory");
    storeWord(to, a, b, c, d);
  }
  __device__ void pause(u32 &time) const {
    time = time == 0 ? 64 : time < 8192 ? time * 2 : time;
    __nanosleep(time);
  }
};

using BinWriter = abi::BinWriter<GpuMemory>;

} // namespace device
} // namespace cupr

#endif

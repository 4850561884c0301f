/// The queue on the GPU: what a memory operation of abi/bin_writer.h is there, and how lanes of a warp wait
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

/// A mask of lanes of which the compiler does not know that it is the same in all lanes that run here.
///
/// ptxas takes what `__activemask()` and votes return for the same in all lanes that run together from there
/// on. Behind a wait that is not so: lanes of another group, with another mask, may run the same code at the
/// same time (docs/design/0009-lanes-that-wait-stay-together.md).
__device__ inline u32 opaque(u32 mask) {
  u32 below;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  return mask | (below >> 31); // no lane has one of number 31 below it
}

/// The lanes that wait together (abi/bin_writer.h).
struct WarpLanes {
  u32 active;

  __device__ explicit WarpLanes(u32 mask) : active(opaque(mask)) {}
  __device__ u32 leader() const { return __ffs(active) - 1; }
  __device__ bool isLeader() const { return laneId() == leader(); }
  __device__ u32 rank() const { return __popc(active & ((1u << laneId()) - 1)); }
  __device__ u32 count() const { return __popc(active); }
  __device__ void meet() const { __syncwarp(active); }
  template <typename T> __device__ T fromLeader(T value) const {
    if constexpr (sizeof(T) == sizeof(u64))
      return __shfl_sync(active, value, leader());
    else
      return static_cast<T>(__shfl_sync(active, static_cast<u32>(value), leader()));
  }
};

// All of it is global memory, which the compiler does not know where the trace argument comes by reference: its
// own atomics and volatile loads would be generic, with a way for shared memory. And clang's atomicCAS is
// sequentially consistent for the whole system: in front of it stands a fence that waits for all stores to arrive on
// the host.
struct GpuMemory {
  __device__ u64 add(u64 *address, u64 value) const {
    u64 old;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(old)
                 : "l"(address), "l"(value)
                 : "memory");
    return old;
  }
  __device__ u32 addBehind(u32 *address, u32 value) const {
    u32 old;
    asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(address), "r"(value)
                 : "memory");
    return old;
  }
  __device__ bool replace(u64 *address, u64 from, u64 to) const {
    u64 old;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(address), "l"(from), "l"(to)
                 : "memory");
    return old == from;
  }
  __device__ bool replace(u32 *address, u32 from, u32 to) const {
    u32 old;
    asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(address), "r"(from), "r"(to)
                 : "memory");
    return old == from;
  }
  __device__ void raise(u64 *address, u64 value) const {
    asm volatile("red.relaxed.gpu.global.max.u64 [%0], %1;" : : "l"(address), "l"(value) : "memory");
  }
  __device__ u64 load(const u64 *address) const {
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
    return value;
  }
  __device__ u32 load(const u32 *address) const {
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
  }
  __device__ void store(u32 *address, u32 value) const {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
  }
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
  /// Reads the clock rather than sleep: lanes of the warp that `__nanosleep` lets on do not meet this group
  /// again, and every access behind leaves several records instead of one. (So do those that the beginning of
  /// the caller's loop lets on, but that is once for each look.) A warp that has waited for 0.7 ms, about
  /// twice as long as a page takes to leave, sleeps.
  __device__ void pause(u32 &time) const {
    constexpr u32 kShortest = 1024, kDoubled = 6, kSpins = 24; // clock cycles; 0.7 ms in all
    if (time < kSpins) {
      const u32 wanted = kShortest << (time < kDoubled ? time : kDoubled), start = clock();
      float slow = 1;
      while (clock() - start < wanted) // few instructions, that others may have the issue slots
        asm volatile("rsqrt.approx.f32 %0, %0; rsqrt.approx.f32 %0, %0; rsqrt.approx.f32 %0, %0; "
                     "rsqrt.approx.f32 %0, %0; rsqrt.approx.f32 %0, %0; rsqrt.approx.f32 %0, %0;"
                     : "+f"(slow));
    } else {
      __nanosleep(20000);
    }
    ++time;
  }

private:
  __device__ static u32 clock() {
    u32 now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    return now;
  }
};

using BinWriter = abi::BinWriter<GpuMemory>;

} // namespace device
} // namespace cupr

#endif

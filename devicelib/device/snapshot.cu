/// The snapshot kernel: runs before a kernel whose accesses follow from memory, and behind it (abi/snapshot.h).
#include "queue.cuh"

#include "devicelib/abi/snapshot_block.h"

namespace {

using cupr::abi::Digest;
using cupr::abi::Vector;
using cupr::device::u32;
using cupr::device::u64;

constexpr u32 kLanes = 32, kWarps = cupr::abi::kSnapshotThreads / kLanes;

/// Two blocks on a multiprocessor, of which one waits for memory while the other multiplies. Each thread has 64 registers
/// then, and half of them hold its part of the piece.
constexpr u32 kBlocksPerProcessor = 2;

struct SnapshotMemory : cupr::device::GpuMemory {
  using GpuMemory::store;
  __device__ void store(u64 *address, u64 value) const {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(address), "l"(value) : "memory");
  }
  /// A strong load, which the compiler may not make twice: what is digested is what is brought.
  __device__ Vector loadVector(const unsigned char *address, bool isWanted) const {
    Vector vector;
    asm volatile("{\n"
                 "  .reg .pred wanted;\n"
                 "  setp.ne.u32 wanted, %3, 0;\n"
                 "  mov.u64 %0, 0;\n"
                 "  mov.u64 %1, 0;\n"
                 "  @wanted ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];\n"
                 "}"
                 : "=&l"(vector.low), "=&l"(vector.high)
                 : "l"(address), "r"(static_cast<u32>(isWanted))
                 : "memory");
    return vector;
  }
  __device__ unsigned char loadByte(const unsigned char *address) const {
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u8 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return static_cast<unsigned char>(value);
  }
  __device__ void storeVector(Vector *address, Vector vector) const {
    asm volatile("st.global.v2.u64 [%0], {%1, %2};"
                 :
                 : "l"(address), "l"(vector.low), "l"(vector.high)
                 : "memory");
  }
};

__shared__ Digest warpSums[kWarps];
__shared__ u64 firstsValue;

struct ThreadBlock {
  static constexpr u32 kThreads = cupr::abi::kSnapshotThreads;

  /// Of which the compiler does not know that it is the same for each piece: it would keep the secrets of all the thread's
  /// vectors in registers from piece to piece, and spill some of them.
  __device__ u32 thread() const {
    u32 thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
  }
  __device__ u32 block() const { return blockIdx.x; }
  __device__ u32 blocks() const { return gridDim.x; }
  __device__ Digest total(Digest mine) const {
    mine = totalOfLanes(mine, kLanes);
    if (threadIdx.x % kLanes == 0)
      warpSums[threadIdx.x / kLanes] = mine;
    __syncthreads();
    return threadIdx.x < kLanes ? totalOfLanes(warpSums[threadIdx.x % kWarps], kWarps) : mine;
  }
  /// What others have read of the sums comes before what is written next.
  __device__ u64 fromFirst(u64 value) const {
    if (threadIdx.x == 0)
      firstsValue = value;
    __syncthreads();
    return firstsValue;
  }
  __device__ void meet() const { __syncthreads(); }

private:
  /// In the first of each `lanes` lanes.
  __device__ static Digest totalOfLanes(Digest mine, u32 lanes) {
    for (u32 distance = lanes / 2; distance; distance /= 2)
      mine = mine +
             Digest{__shfl_down_sync(~0u, mine.low, distance), __shfl_down_sync(~0u, mine.high, distance)};
    return mine;
  }
};

} // namespace

extern "C" __global__ void __launch_bounds__(cupr::abi::kSnapshotThreads, kBlocksPerProcessor)
    cuprSnapshot(const __grid_constant__ cupr::abi::SnapshotArgument argument) {
  cupr::abi::SnapshotBlock<SnapshotMemory, ThreadBlock>(argument, {}).run();
}

/// `Memory` and `Block` of abi/snapshot_block.h on the threads of a host.
#ifndef CUPR_STRESS_HOST_BLOCK_H
#define CUPR_STRESS_HOST_BLOCK_H

#include "devicelib/abi/snapshot_block.h"
#include "host_memory.h"

#include <barrier>
#include <thread>
#include <vector>

namespace cupr::stress {

/// Memory that is looked at may change meanwhile: it is read as atomics.
struct SnapshotMemory : HostMemory {
  using HostMemory::HostMemory;

  abi::Vector loadVector(const unsigned char *address, bool isWanted) const {
    abi::Vector vector{0, 0};
    if (isWanted)
      copyAtomically(reinterpret_cast<unsigned char *>(&vector), address);
    return vector;
  }
  unsigned char loadByte(const unsigned char *address) const {
    return std::atomic_ref(*const_cast<unsigned char *>(address)).load(std::memory_order_relaxed);
  }
  void storeVector(abi::Vector *address, abi::Vector vector) const { *address = vector; }
};

/// One thread's view of a block of so many.
template <unsigned kCount> class HostBlock {
public:
  static constexpr unsigned kThreads = kCount;
  /// What they share.
  struct Shared {
    std::barrier<> barrier{kCount};
    abi::Digest sums[kCount];
    unsigned long long value = 0;
  };

  HostBlock(Shared &shared, unsigned thread, unsigned block, unsigned blocks)
      : shared_(shared), thread_(thread), block_(block), blocks_(blocks) {}

  unsigned thread() const { return thread_; }
  unsigned block() const { return block_; }
  unsigned blocks() const { return blocks_; }
  abi::Digest total(abi::Digest mine) const {
    shared_.sums[thread_] = mine;
    meet();
    abi::Digest total{0, 0};
    for (unsigned i = 0; thread_ == 0 && i < kCount; ++i)
      total = total + shared_.sums[i];
    return total;
  }
  unsigned long long fromFirst(unsigned long long value) const {
    if (thread_ == 0)
      shared_.value = value;
    meet();
    return shared_.value;
  }
  void meet() const { shared_.barrier.arrive_and_wait(); }

private:
  Shared &shared_;
  unsigned thread_, block_, blocks_;
};

/// Runs the snapshot kernel, with all its blocks at a time.
template <unsigned kThreads>
void runSnapshot(const abi::SnapshotArgument &argument, unsigned blocks, const SnapshotMemory &memory) {
  std::vector<typename HostBlock<kThreads>::Shared> shared(blocks);
  std::vector<std::thread> threads;
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, block, thread] {
        abi::SnapshotBlock<SnapshotMemory, HostBlock<kThreads>>(
            argument, {shared[block], thread, block, blocks}, memory)
            .run();
      });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace cupr::stress

#endif

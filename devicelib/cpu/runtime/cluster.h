/// Thread-block clusters: the blocks of one cluster see each other's shared memory and wait for each other at its barrier.
///
/// Their frames of shared memory lie one behind the other, in the order of the blocks' ranks, from the moment the first of them
/// begins until the last one has ended: an address of the one leads to the same place in the other by arithmetic, whether that
/// has begun or not. Behind the last frame is one that nobody may access: what a rank that the cluster does not have leads to.
#ifndef CUPR_CPU_CLUSTER_H
#define CUPR_CPU_CLUSTER_H

#include "lane_state.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace cupr::cpu {

struct Dim3 {
  std::uint32_t x, y, z;
};

/// The barrier of one cluster. A block says once for each phase that all of its threads have arrived, those that have ended left out.
class ClusterBarrier {
public:
  /// The phases that are over.
  std::uint32_t phase() const { return phase_.load(std::memory_order_acquire); }
  /// All threads of this block have arrived. True: so have all others, and the phase is over.
  bool arrive(unsigned rank) { return note(arrived_, rank); }
  /// The block has ended, and nobody waits for it. The same.
  bool end(unsigned rank) { return note(ended_, rank); }
  /// No thread of this block can go on before so many phases are over. True: so it is with all others, for ever.
  bool isStuck(unsigned rank, std::uint32_t phases);
  bool isOver() const;

  void open(unsigned blocks);

private:
  bool note(std::uint32_t &blocks, unsigned rank);

  mutable std::mutex mutex_;
  std::uint32_t all_ = 0, arrived_ = 0, ended_ = 0, stuck_ = 0; ///< blocks, by rank
  std::atomic<std::uint32_t> phase_{0};
};

struct Cluster {
  Dim3 place{}; ///< among the grid's
  unsigned char *frames = nullptr;
  ClusterBarrier barrier;
};

/// Where a block of a launch is.
struct BlockPlace {
  std::uint64_t linear = 0;
  Cluster *cluster = nullptr; ///< null: the launch has none
  unsigned rank = 0;          ///< in it
};

/// The clusters of one launch that have begun and not ended.
class Clusters {
public:
  /// A launch whose clusters have this size, which divides the grid. One block: there are none.
  void open(const Dim3 &grid, const Dim3 &size);
  unsigned blocks() const { return blocks_; }
  /// Of the block that begins as number `turn`: those of a cluster follow each other. `isThere` false: there is no memory for its cluster.
  BlockPlace begin(std::uint64_t turn, bool &isThere);
  void end(const BlockPlace &place);
  /// When no block runs any more.
  void close();
  /// For a child of fork, which has none of the threads.
  void forget();

private:
  unsigned char *makeFrames();

  Dim3 grid_{}, size_{1, 1, 1};
  unsigned blocks_ = 1;
  std::mutex mutex_; ///< guards what follows
  std::unordered_map<std::uint64_t, std::unique_ptr<Cluster>> clusters_;
  std::vector<unsigned char *> free_; ///< frames of clusters that have ended
};

} // namespace cupr::cpu

#endif

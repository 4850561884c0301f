/// The chunks of a batch, decoded by several processes: each decodes its part, and then has the runs of all
/// chunks in its own shards.
///
/// Shapes have other numbers in each process, so new ones go along with the runs that name them.
#ifndef CUPR_ANALYSIS_SHARED_DECODING_H
#define CUPR_ANALYSIS_SHARED_DECODING_H

#include "access_shapes.h"
#include "peer_failure.h"
#include "peers.h"
#include "run_dispatcher.h"

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace cupr::analysis {

/// Shards `first` to `end`, without `end`.
struct ShardRange {
  unsigned first = 0, end = kShards;
};

class SharedDecoding {
public:
  SharedDecoding(Peers &peers, AccessShapes &shapes)
      : peers_(peers), shapes_(shapes), numbers_(peers.count()) {}

  ShardRange shards() const { return shardsOf(peers_.number()); }
  /// Whether this process decodes the chunk with this index in its batch.
  bool isMine(std::size_t chunk) const { return chunk % peers_.count() == peers_.number(); }

  /// `runs`, by chunk: all of those that are mine; when it returns, those in my shards of every chunk.
  /// `failure`: why this process can't go on, if it can't. Throws PeerFailure, or `failure` in a process
  /// without peers.
  void share(std::span<ChunkRuns> runs, const std::exception_ptr &failure);

private:
  ShardRange shardsOf(unsigned peer) const {
    return {kShards * peer / peers_.count(), kShards * (peer + 1) / peers_.count()};
  }
  Bytes messageTo(unsigned peer, std::span<const ChunkRuns> runs, const std::exception_ptr &failure) const;
  void take(unsigned peer, const Bytes &message, std::span<ChunkRuns> runs);

  Peers &peers_;
  AccessShapes &shapes_;
  std::size_t toldShapes_ = 0;                      ///< which the others know of
  std::vector<std::vector<std::uint32_t>> numbers_; ///< by process and its number: mine
};

} // namespace cupr::analysis

#endif

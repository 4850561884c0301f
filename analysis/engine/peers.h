/// Processes that analyse one trace together.
///
/// Each has the trace open, and goes through all of its acts. What is divided is the work: a process decodes
/// its part of the chunks, and follows its part of the shards of memory (SharedDecoding). The first one has
/// the result (CommunicationSums).
#ifndef CUPR_ANALYSIS_PEERS_H
#define CUPR_ANALYSIS_PEERS_H

#include "analysis/model/unnamed_file.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

using Bytes = std::vector<std::byte>;

/// All functions but the first three are called by all processes in the same order, each by one thread. If a
/// process is gone, so are the others.
class Peers {
public:
  virtual ~Peers() = default;
  virtual unsigned number() const = 0; ///< of this process, from 0
  virtual unsigned count() const = 0;
  bool isFirst() const { return number() == 0; }
  /// How many share this machine's memory, this one included.
  virtual unsigned onThisMachine() = 0;
  /// The least of what the processes give.
  virtual std::uint64_t least(std::uint64_t value) = 0;
  /// `toEach[i]` goes to process i; the result is what came from each.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> toEach) = 0;
  /// The first process gets the others' files, by number (its own is empty, and its argument not used), from
  /// their starts; the others get nothing.
  virtual std::vector<UnnamedFile> gather(std::FILE *file) = 0;
};

/// A process alone.
class NoPeers : public Peers {
public:
  unsigned number() const override { return 0; }
  unsigned count() const override { return 1; }
  unsigned onThisMachine() override { return 1; }
  std::uint64_t least(std::uint64_t value) override { return value; }
  std::vector<Bytes> exchange(std::vector<Bytes> toEach) override { return toEach; }
  std::vector<UnnamedFile> gather(std::FILE *) override { return std::vector<UnnamedFile>(1); }
};

} // namespace cupr::analysis

#endif

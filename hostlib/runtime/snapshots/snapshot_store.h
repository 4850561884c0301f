/// The memory that slices look up (devicelib/abi/slice.h) on its way to the trace: each piece of it goes there once, however many
/// launches find the same.
#ifndef CUPR_RUNTIME_SNAPSHOT_STORE_H
#define CUPR_RUNTIME_SNAPSHOT_STORE_H

#include "hostlib/trace/snapshot.h"
#include "hostlib/trace/writer.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace cupr::host {

/// A range of memory that a launch's slice may look up.
struct MemoryRegion {
  std::uint64_t address, bytes;
};

/// Of a piece's bytes; who has the same has the same bytes.
using trace::PieceDigest;
/// Of a region's pieces, in the order of their addresses.
using PieceDigests = std::vector<PieceDigest>;

/// Threads: all members from any thread.
class SnapshotStore {
public:
  /// The writer must live as long as the store.
  explicit SnapshotStore(trace::Writer &writer) : writer_(writer) {}

  /// Writes the piece, if it is not in the trace.
  void put(const PieceDigest &digest, std::span<const std::byte> bytes);
  /// Says at a launch's end what its memory held, or that the launch is not complete. The digests are of each region's pieces,
  /// which have been put; nothing: they were not the same before the kernel and behind it.
  void name(trace::LaunchEnd &end, const std::vector<MemoryRegion> &memory,
            const std::optional<std::vector<PieceDigests>> &digests);

private:
  /// Writes that the region consists of these pieces, if that is not in the trace. Gives the snapshot's number; nothing: one of the
  /// pieces, or the snapshot, could not be written.
  std::optional<std::uint32_t> snapshot(const MemoryRegion &region, const PieceDigests &digests);

  trace::Writer &writer_;
  std::mutex mutex_; ///< guards what follows
  std::map<PieceDigest, std::optional<std::uint32_t>> contents_;
  struct Written {
    std::uint64_t bytes;
    PieceDigests digests;
    std::uint32_t id;
  };
  std::map<std::uint64_t, Written> last_; ///< of each region, by its address
};

} // namespace cupr::host

#endif

#include "snapshot_store.h"

namespace cupr::host {

void SnapshotStore::put(const PieceDigest &digest, std::span<const std::byte> bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (contents_.contains(digest))
      return;
  }
  // Two threads may write the same piece: the trace says it twice then, and nobody minds.
  const std::optional<std::uint32_t> id = writer_.contents(bytes);
  const std::scoped_lock lock(mutex_);
  contents_.emplace(digest, id);
}

void SnapshotStore::name(trace::LaunchEnd &end, const std::vector<MemoryRegion> &memory,
                         const std::optional<std::vector<PieceDigests>> &digests) {
  const auto fail = [&](const char *reason) {
    end.complete = false;
    end.reason = reason;
    end.snapshots.clear();
  };
  if (!digests)
    return fail("memory that its accesses follow from changed while it ran (with CUPR_DERIVE=off they are "
                "recorded)");
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::optional<std::uint32_t> id = snapshot(memory[i], (*digests)[i]);
    if (!id)
      return fail("the trace has no room for what the memory held that its accesses follow from");
    end.snapshots.push_back(*id);
  }
}

std::optional<std::uint32_t> SnapshotStore::snapshot(const MemoryRegion &region,
                                                     const PieceDigests &digests) {
  const std::scoped_lock lock(mutex_);
  const auto known = last_.find(region.address);
  if (known != last_.end() && known->second.bytes == region.bytes && known->second.digests == digests)
    return known->second.id;
  std::vector<std::uint32_t> pieces;
  for (const PieceDigest &digest : digests) {
    const auto found = contents_.find(digest);
    if (found == contents_.end() || !found->second)
      return std::nullopt;
    pieces.push_back(*found->second);
  }
  const std::optional<std::uint32_t> id = writer_.snapshot(region.address, region.bytes, pieces);
  if (id)
    last_[region.address] = {region.bytes, digests, *id};
  return id;
}

} // namespace cupr::host

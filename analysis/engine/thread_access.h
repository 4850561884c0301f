/// One access of one thread, in the terms in which two traces can agree: nothing of warps, of the order of
/// records, of absolute addresses or of time. `dump --per-thread` prints the same.
///
/// A *place* is an allocation by its number among the calls, or a memory that has none; the offset counts
/// from its beginning. What an address says of the device rather than of the program is left out: the offset
/// of an address in no known allocation (the heap of the device lies where the device puts it), and accesses
/// to local memory altogether (where a compiler puts local variables is its own affair).
#ifndef CUPR_ANALYSIS_THREAD_ACCESS_H
#define CUPR_ANALYSIS_THREAD_ACCESS_H

#include "address_shard.h"
#include "analysis/model/records.h"

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <type_traits>

namespace cupr::analysis {

/// Ordered by CTA and thread first.
struct ThreadAccess {
  std::uint64_t cta;
  std::uint32_t thread;    ///< in its CTA
  std::uint32_t operation; ///< an abi::Operation
  std::uint32_t bytes;
  std::uint32_t place; ///< an allocation's number, or what placeIn gives
  std::uint64_t offset;

  friend auto operator<=>(const ThreadAccess &, const ThreadAccess &) = default;

  /// Addresses in `space` that are in no allocation.
  static constexpr std::uint32_t placeIn(abi::MemorySpace space) {
    return UINT32_MAX - static_cast<std::uint32_t>(space);
  }
  bool isInAllocation() const { return place <= UINT32_MAX - abi::kMemorySpaces; }
  abi::MemorySpace space() const { return static_cast<abi::MemorySpace>(UINT32_MAX - place); }
};

static_assert(std::has_unique_object_representations_v<ThreadAccess>, "digests are made of its bytes");

/// Takes the records of one launch apart. For one thread.
class ThreadAccesses {
public:
  explicit ThreadAccesses(const AllocationMap &allocations) : allocations_(allocations) {}

  /// Of a record's lanes, in their order; none for local memory. Of textures neither object nor coordinates are told. Valid until the next call.
  std::span<const ThreadAccess> of(const Record &record) {
    const abi::WarpAccess &access = record.access;
    const auto space = abi::spaceOf(record.site->space);
    if (space == abi::MemorySpace::Local)
      return {};
    const bool isElsewhere = space == abi::MemorySpace::Shared || space == abi::MemorySpace::Texture;
    std::size_t count = 0;
    for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t address = access.address[lane];
      ThreadAccess &one = accesses_[count++];
      one.cta = access.cta;
      one.thread = access.warp * abi::kLanes + lane;
      one.operation = static_cast<std::uint32_t>(record.site->operation);
      one.bytes = static_cast<std::uint32_t>(abi::laneBytes(access, lane, record.site->bytes));
      if (!isElsewhere && address - last_.range.begin >= last_.range.bytes())
        last_ = allocations_.entryOf(address);
      if (!isElsewhere && last_.index != allocations_.unknown()) {
        one.place = last_.index;
        one.offset = address - last_.range.begin;
      } else {
        one.place = ThreadAccess::placeIn(space);
        one.offset = space == abi::MemorySpace::Global || space == abi::MemorySpace::Texture ? 0 : address;
      }
    }
    return {accesses_.data(), count};
  }

private:
  const AllocationMap &allocations_;
  AllocationMap::Entry last_{{}, allocations_.unknown()}; ///< neighbours are in one allocation
  std::array<ThreadAccess, abi::kLanes> accesses_;
};

} // namespace cupr::analysis

#endif

/// What a tensor copy leaves in the queue: the map's key and the coordinates, of which the host makes the ranges of memory that it
/// reached (hostlib/trace/tensor_maps.h). A box of 64 rows is 64 ranges, and the thread that starts the copy is one: it has no time for that.
///
///     word 0, 1   the head; its base is the map's key, its shape the offsets; one lane
///     word 2      four coordinates
///     word 3      the fifth | blocks | address in shared memory
///
/// Coordinates are exchanged with their highest bit turned, so that no word is 0: a reader of a crashed program's pages takes such for
/// one that has not been written. `blocks`: of a store to shared memory of several blocks of a cluster, which, in the low 16 bits, and above them which
/// of them the copy's own block is. With kOfShared in it the record stands for the side in shared memory, else for that in global memory. Only the
/// queue has such records.
#ifndef CUPR_ABI_BOX_RECORD_H
#define CUPR_ABI_BOX_RECORD_H

#include "cluster_address.h"
#include "tensor_map.h"

#include <cstring>

namespace cupr {
namespace abi {

constexpr std::uint32_t kBoxWords = kHeadWords + 2;
constexpr std::uint32_t kCoordinateTurn = 0x80000000u;
constexpr std::uint32_t kOfShared = 1u << 31, kBlocksMask = 0xffffu;
constexpr unsigned kOwnRankShift = 16;
CUPR_RECORD_FUNCTION std::uint32_t ownRankOf(std::uint32_t blocks) { return blocks >> kOwnRankShift & 0x1fu; }

struct BoxRecord {
  RecordHead head;
  std::uint32_t turned[kTensorRank];
  std::uint32_t blocks;
  std::uint64_t shared;

  TensorPlace place() const {
    TensorPlace place;
    for (unsigned i = 0; i < kTensorRank; ++i)
      place.coordinates[i] = static_cast<std::int32_t>(turned[i] ^ kCoordinateTurn);
    place.offsets = head.shape;
    return place;
  }
};
static_assert(sizeof(BoxRecord) == kBoxWords * kWordBytes, "whole words");

/// Calls `visit(address, bytes)` for what a copy is recorded as: stretches of global memory, or, with kOfShared in `blocks`, the box in the
/// shared memory of each block that it goes to. `shared`: as records have it (cluster_address.h).
template <typename Visit>
void forEachRecordedRange(const TensorMap &map, const TensorPlace &place, std::uint32_t blocks,
                          std::uint64_t shared, Visit visit) {
  if (!(blocks & kOfShared))
    return forEachBoxRange(map, place, visit);
  const std::uint64_t bytes = boxBytes(map), offset = offsetOfShared(shared);
  if ((blocks & kBlocksMask) == 0)
    return visit(shared, bytes);
  for (std::uint32_t rank = 0; rank < kMaxClusterBlocks; ++rank)
    if (blocks >> rank & 1u)
      visit(rank == ownRankOf(blocks) ? offset : sharedOfRank(rank, offset), bytes);
}

inline bool isBox(std::uint32_t siteAndForm) { return isForm(siteAndForm >> kSiteBits, FormKind::Box); }
/// The words of a box's record that begins with this word, of which `available` can be read; 0: it is none.
inline std::uint32_t boxWords(const FirstWord &first, std::size_t available) {
  return isBox(first.siteAndForm) && activeLanes(first.lanes) == 1 && available >= kBoxWords ? kBoxWords : 0;
}
inline BoxRecord readBox(const void *words) {
  BoxRecord record;
  std::memcpy(&record, words, sizeof record);
  return record;
}

} // namespace abi
} // namespace cupr

#endif

/// Snapshots: what memory held when a kernel began, and whether it still did when the kernel had ended.
///
/// Some kernels' accesses follow from their launch and from memory that nobody writes while they run. Who derives them needs
/// the contents of that memory, which is large, and mostly the same from launch to launch. So a kernel of ours runs before
/// such a kernel and behind it, in the same stream, and looks at memory in pieces of 64 KiB:
///
/// - Digests: each tells the host the digest of every piece (digest.h). Where those of before and behind are the same, so was
///   the memory, unless somebody has changed it and changed it back.
/// - Known: the one before compares with a table in device memory, of the region, which holds the digest that each piece had
///   when it was last brought to the host. A piece that has another one is brought, and the table says so.
/// - Bring: the block takes a ticket, waits until the ticket's slot in host memory is free, writes the piece there and
///   publishes it; the host looks at all slots, in any order, and frees those that it has read. It needs no driver call for
///   that, so it never waits for the kernel that waits for it. Who has a slot waits for nobody but those that had the slot
///   before, so all get on.
///
/// Kernels of several streams may have the same region, and one of them may read and write the table while another does.
/// An entry is two words, each written on its own, so what is read may be half of one digest and half of another. That is no
/// harm: an entry counts only if both its words are those of the piece, and a digest of which another has one half
/// by chance is as unlikely as two that are the same. A piece is brought twice then, or by both kernels.
///
/// Whoever finds a digest in a table may count on it that the piece has been published: it was before the entry was written
/// (with a fence between), and is read by the host before the launch ends, since the fence at the end of the block
/// and the end of the launch come behind. That is true of any piece of any memory, whatever region the table belonged to when
/// the entry was made: tables may pass from region to region as they are.
#ifndef CUPR_ABI_SNAPSHOT_H
#define CUPR_ABI_SNAPSHOT_H

#include "digest.h"

namespace cupr {
namespace abi {

enum : std::uint32_t {
  kPieceBytes = 1u << 16,
  kVectorBytes = sizeof(Vector),
  /// Of one launch of the kernel.
  kSnapshotRegions = 16,
  kSnapshotSlots = 256,
  kSnapshotThreads = 512, ///< of a block
};

/// The pieces of so many bytes; the last may be shorter.
CUPR_RECORD_FUNCTION std::uint64_t piecesOf(std::uint64_t bytes) {
  return (bytes + kPieceBytes - 1) / kPieceBytes;
}

struct SnapshotRegion {
  const unsigned char *memory;
  unsigned long long bytes;
  unsigned long long *known; ///< device memory: two words for each piece, low and high
  std::uint32_t firstPiece;  ///< the region's first, of all that the launch looks at
};

/// What the host is told of a piece; host memory, one per slot.
struct SnapshotSlot {
  Digest digest;
  unsigned long long bytes;
  unsigned long long published; ///< how often the slot has been; written last, with release at system scope
};

/// How pieces get to the host.
struct SnapshotRing {
  SnapshotSlot *slots;             ///< host memory, kSnapshotSlots
  Vector *pieces;                  ///< host memory, room for one per slot
  const unsigned long long *freed; ///< host memory, one per slot: how often the host has freed it
  unsigned long long *tickets;     ///< device memory: those given out
};

/// The argument of the kernel.
struct SnapshotArgument {
  SnapshotRegion regions[kSnapshotRegions];
  std::uint32_t regionCount;
  std::uint32_t pieceCount; ///< of all regions
  Digest *digests;          ///< host memory, one per piece
  SnapshotRing ring;
  std::uint32_t brings; ///< 0: nothing but digests is wanted
};

} // namespace abi
} // namespace cupr

#endif

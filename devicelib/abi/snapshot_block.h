/// What a block of the snapshot kernel does (snapshot.h has the protocol), as one algorithm.
///
/// It runs on the GPU (device/snapshot.cu) and on the threads of a host (a stress test). Each operation on memory that others
/// see is a call to a `Memory`, which has of those in bin_writer.h `add`, `load`, `fence`, `loadHost`, `storeHost` and
/// `pause`, and beside them:
///
///     void store(u64 *, u64)                                  relaxed, device scope
///     Vector loadVector(const unsigned char *, bool)          relaxed; an aligned address. False: nothing is loaded, zeros
///     unsigned char loadByte(const unsigned char *)           relaxed
///     void storeVector(Vector *, Vector)                      not atomic
///
/// Threads that take a piece together are a `Block`:
///
///     kThreads                     how many, a power of two
///     u32 thread()                 the thread's number; called once for each piece
///     u32 block(), u32 blocks()    the block's number, and how many there are
///     Digest total(Digest)         the sum over all threads, in thread 0
///     u64 fromFirst(u64)           thread 0's value, in all of them, which meet there
///     void meet()                  what they have written, thread 0's next writes come behind
#ifndef CUPR_ABI_SNAPSHOT_BLOCK_H
#define CUPR_ABI_SNAPSHOT_BLOCK_H

#include "snapshot.h"

#ifdef __CUDA__
#define CUPR_SNAPSHOT_FUNCTION __device__ __attribute__((always_inline)) inline
#else
#define CUPR_SNAPSHOT_FUNCTION inline
#endif

namespace cupr {
namespace abi {

template <typename Memory, typename Block> class SnapshotBlock {
public:
  using u32 = unsigned int;
  using u64 = unsigned long long;

  CUPR_SNAPSHOT_FUNCTION SnapshotBlock(const SnapshotArgument &argument, Block block,
                                       Memory memory = Memory())
      : argument_(argument), block_(block), memory_(memory) {}

  /// Takes the pieces that are the block's.
  CUPR_SNAPSHOT_FUNCTION void run() {
    u32 region = 0;
    for (u32 piece = block_.block(); piece < argument_.pieceCount; piece += block_.blocks()) {
      while (region + 1 < argument_.regionCount && piece >= argument_.regions[region + 1].firstPiece)
        ++region;
      take(argument_.regions[region], piece);
    }
    memory_.fence(); // what was found in tables, the end of the launch comes behind
  }

private:
  static constexpr u32 kVectors = kPieceBytes / kVectorBytes / Block::kThreads; ///< of a thread
  /// On the GPU vectors lie in registers, which have no numbers at run time.
  static constexpr u32 kUnrolled = Block::kThreads == kSnapshotThreads ? kVectors : 1;

  CUPR_SNAPSHOT_FUNCTION static u32 number(u32 thread, u32 i) { return i * Block::kThreads + thread; }

  CUPR_SNAPSHOT_FUNCTION void take(const SnapshotRegion &region, u32 piece) {
    const u32 inRegion = piece - region.firstPiece;
    const u64 at = static_cast<u64>(inRegion) * kPieceBytes;
    const u32 bytes =
        static_cast<u32>(region.bytes - at < kPieceBytes ? region.bytes - at : u64{kPieceBytes});
    u64 *const known = region.known + 2ull * inRegion;
    const u32 thread = block_.thread();
    const bool isFirst = thread == 0;
    Vector vectors[kVectors];
    load(thread, region.memory + at, bytes, vectors);
    Digest digest{0, 0};
#pragma unroll kUnrolled
    for (u32 i = 0; i < kVectors; ++i)
      if (number(thread, i) * kVectorBytes < bytes)
        digest = digest + vectorDigest(vectors[i], number(thread, i));
    digest = pieceDigest(block_.total(digest), bytes);

    u64 ticket = kNone;
    if (isFirst) {
      argument_.digests[piece] = digest;
      if (argument_.brings && !(digest == Digest{memory_.load(known), memory_.load(known + 1)}))
        ticket = takeTicket();
    }
    ticket = block_.fromFirst(ticket);
    if (ticket == kNone)
      return;
    bring(thread, vectors, bytes, ticket);
    if (!isFirst)
      return;
    SnapshotSlot &slot = argument_.ring.slots[ticket % kSnapshotSlots];
    slot.digest = digest;
    slot.bytes = bytes;
    memory_.storeHost(&slot.published, ticket / kSnapshotSlots + 1);
    memory_.fence(); // who finds the entry, finds the piece published
    memory_.store(known, digest.low);
    memory_.store(known + 1, digest.high);
  }

  /// All vectors of a piece are loaded before one is needed: that is what hides how long it takes.
  CUPR_SNAPSHOT_FUNCTION void load(u32 thread, const unsigned char *memory, u32 bytes,
                                   Vector (&vectors)[kVectors]) {
    const bool isAligned = reinterpret_cast<std::uintptr_t>(memory) % kVectorBytes == 0;
    const u32 whole = isAligned ? bytes / kVectorBytes : 0;
#pragma unroll kUnrolled
    for (u32 i = 0; i < kVectors; ++i) {
      const u32 vector = number(thread, i);
      vectors[i] = memory_.loadVector(memory + vector * kVectorBytes, vector < whole);
    }
    if (whole * kVectorBytes == bytes)
      return;
#pragma unroll kUnrolled
    for (u32 i = 0; i < kVectors; ++i) {
      const u32 vector = number(thread, i);
      if (vector >= whole && vector * kVectorBytes < bytes)
        vectors[i] = loadBytes(memory + vector * kVectorBytes, bytes - vector * kVectorBytes);
    }
  }

  CUPR_SNAPSHOT_FUNCTION Vector loadBytes(const unsigned char *memory, u32 bytes) {
    Vector vector{0, 0};
#pragma unroll 1
    for (u32 i = bytes < kVectorBytes ? bytes : u32{kVectorBytes}; i-- > 0;) {
      vector.high = vector.high << 8 | vector.low >> 56;
      vector.low = vector.low << 8 | memory_.loadByte(memory + i);
    }
    return vector;
  }

  /// Waits until the ticket's slot is free.
  CUPR_SNAPSHOT_FUNCTION u64 takeTicket() {
    const u64 ticket = memory_.add(argument_.ring.tickets, 1ull);
    const u64 *const freed = argument_.ring.freed + ticket % kSnapshotSlots;
    for (u32 time = 0; memory_.loadHost(freed) < ticket / kSnapshotSlots;)
      memory_.pause(time);
    return ticket;
  }

  CUPR_SNAPSHOT_FUNCTION void bring(u32 thread, const Vector (&vectors)[kVectors], u32 bytes, u64 ticket) {
    Vector *const place = argument_.ring.pieces + ticket % kSnapshotSlots * (kPieceBytes / kVectorBytes);
#pragma unroll kUnrolled
    for (u32 i = 0; i < kVectors; ++i)
      if (const u32 vector = number(thread, i); vector * kVectorBytes < bytes)
        memory_.storeVector(place + vector, vectors[i]);
    block_.meet();
  }

  static constexpr u64 kNone = ~0ull;

  const SnapshotArgument &argument_;
  Block block_;
  Memory memory_;
};

} // namespace abi
} // namespace cupr

#endif

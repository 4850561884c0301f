/// What the blocks of a launch say whose accesses are derived (slice.h): each that it has begun, and on which
/// multiprocessor. That is all that such a launch says while it runs.
///
/// It has a word of 16 bits for each block of its grid, in Trace::tally, by the block's linear number
/// (record_head.h): 0, or one more than the multiprocessor's number. The first thread of a block writes its word, and
/// nobody waits; through the queue the same took a fifth of the time of a kernel of short blocks.
///
/// Behind these come 64 bits for each shared variable that the slice needs: 0, or one more than its offset in the block's window, which
/// the first of the blocks that are recorded writes.
#ifndef CUPR_ABI_BEGUN_BLOCKS_H
#define CUPR_ABI_BEGUN_BLOCKS_H

#include "record_head.h"

#include <cstdint>

namespace cupr {
namespace abi {

using BlockWord = std::uint16_t;

/// Grids of more blocks are recorded: their words would take more than 32 MiB, on the device and on the host.
enum : std::uint64_t { kMaxBegunBlocks = 1u << 24 };

enum : unsigned { kBlockWordsPerTally = sizeof(std::uint64_t) / sizeof(BlockWord) };

/// The elements of Trace::tally that hold the words of so many blocks.
CUPR_RECORD_FUNCTION std::uint64_t tallyOfBlocks(std::uint64_t blocks) {
  return (blocks + kBlockWordsPerTally - 1) / kBlockWordsPerTally;
}

/// The element that holds the place of a shared variable, of as many as there are.
CUPR_RECORD_FUNCTION std::uint64_t tallyOfPlace(std::uint64_t tallyWords, std::uint32_t place) {
  return tallyWords - 1 - place;
}

/// `sm`: of which, as in records, the low bits are kept.
CUPR_RECORD_FUNCTION BlockWord begunOn(std::uint32_t sm) {
  return static_cast<BlockWord>((sm & kSmMask) + 1);
}
CUPR_RECORD_FUNCTION bool hasBegun(BlockWord word) { return word != 0; }
/// Of a block that has begun.
CUPR_RECORD_FUNCTION std::uint32_t smOfBlock(BlockWord word) { return word - 1u; }

} // namespace abi
} // namespace cupr

#endif

/// The `blocks` encoding of a chunk: records that say which blocks of a derived launch began (devicelib/abi/begun_blocks.h).
///
/// A launch of many short blocks has tens of thousands of them, and takes microseconds; all that each says is on which
/// multiprocessor it ran. So they are not taken apart record by record, as accesses are (warp_columns.h).
///
/// Layout, little endian: u32 site, u32 0, u64 number of the first block, u64 distance from block to block; then the lower byte of each
/// record's multiprocessor, then the upper byte of each.
#ifndef CUPR_TRACE_BLOCK_COLUMNS_H
#define CUPR_TRACE_BLOCK_COLUMNS_H

#include "chunk.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

/// False: the words are something else, and `columns` means nothing.
bool encodeBlocks(std::span<const Word> words, std::vector<std::byte> &columns);
/// Fills `words`. Returns the rule that is broken; empty: none.
std::string decodeBlocks(std::span<const std::byte> columns, std::span<Word> words);

} // namespace cupr::trace

#endif

/// The values of a chunk, packed: columns (value_columns.h) in a zstd frame.
#ifndef CUPR_TRACE_PACKED_VALUES_H
#define CUPR_TRACE_PACKED_VALUES_H

#include "value_columns.h"

namespace cupr::trace {

/// `packed` is valid until the thread packs values again.
struct PackedValues {
  std::uint32_t words = 0; ///< 0: there are none, or they are not those of the records
  std::uint32_t encodedBytes = 0;
  std::uint64_t hash = 0;
  std::span<const std::byte> packed;
};
/// Packs `values`, the value records of the records in `words`. Throws std::bad_alloc only.
PackedValues packValues(std::span<const Word> words, std::span<const Word> values,
                        std::span<const ValueSite> sites, int level);

/// Unpacks the values of the chunk whose records are in `words` into `values` (resized). Returns the rule that is broken; empty:
/// none, and they are whole value records with the hash that the chunk says.
std::string unpackValues(const ChunkValues &packed, std::span<const Word> words,
                         std::span<const ValueSite> sites, std::vector<Word> &values);

/// Unpacks a chunk of a launch whose module has these sites: records and values.
std::string unpackChunk(const Chunk &chunk, std::span<const Site> sites, std::vector<Word> &words,
                        std::vector<Word> &values);

} // namespace cupr::trace

#endif

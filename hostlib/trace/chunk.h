/// A chunk: up to kMaxChunkWords words of records of one launch, packed.
#ifndef CUPR_TRACE_CHUNK_H
#define CUPR_TRACE_CHUNK_H

#include "devicelib/abi/record.h"
#include "events.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

/// How the words lie before zstd packs them (trace.capnp says more).
enum class Encoding : std::uint16_t { Words, Columns, Warps, Blocks };

/// What a file may hold, which bounds a reader's memory.
inline constexpr std::uint32_t kMaxChunkWords = 65536;
/// What the writer gathers before it writes a chunk: 256 KiB.
inline constexpr std::uint32_t kChunkWords = 16384;
/// The same for values: at most, and what makes the writer end a chunk (1 MiB).
inline constexpr std::uint32_t kMaxChunkValueWords = 131072, kChunkValueWords = 65536;

/// One word of records, as it lies in memory.
struct alignas(8) Word {
  unsigned char bytes[abi::kWordBytes];
};
static_assert(sizeof(Word) == abi::kWordBytes, "no padding");

/// Records of one channel (gather.h) in a chunk.
struct ChannelShare {
  std::uint32_t channel = 0;
  std::uint32_t records = 0;
  friend bool operator==(const ChannelShare &, const ChannelShare &) = default;
};

/// The value records of a chunk (value_columns.h), packed.
struct ChunkValues {
  std::uint32_t words = 0; ///< 0: there are none
  std::uint32_t encodedBytes = 0;
  std::string packed;     ///< one zstd frame
  std::uint64_t hash = 0; ///< XXH3-64 of the words
};

struct Chunk {
  LaunchId launch{};
  std::uint32_t channel = 0;        ///< of the first record
  std::vector<ChannelShare> shares; ///< in the order of the records; empty: all are of `channel`
  std::uint64_t sequence = 0;       ///< within the launch, from 0
  std::uint32_t records = 0;
  std::uint32_t words = 0;
  Encoding encoding = Encoding::Words;
  std::uint32_t encodedBytes = 0;
  std::string packed;     ///< one zstd frame; with `Warps`, the dense addresses behind it
  std::uint64_t hash = 0; ///< XXH3-64 of the words
  ChunkValues values;
};

/// zstd's level where time is short, as it is when nothing else is asked for.
inline constexpr int kFastLevel = 1;

/// Words, packed. `packed` is valid until the thread packs again.
struct PackedWords {
  Encoding encoding = Encoding::Words;
  std::uint32_t encodedBytes = 0;
  std::uint64_t hash = 0;
  std::span<const std::byte> packed;
};

/// Packs `words`, which hold whole records without pads. `row` is the number of CTAs in a row of the
/// launch's grid, or 0 if it has only one; `level` is zstd's. Throws std::bad_alloc only.
PackedWords packWords(std::span<const Word> words, std::uint32_t row, int level);

/// The same, with `records` records, as a chunk. Launch, channel and sequence are left for the caller.
Chunk packChunk(std::span<const Word> words, std::uint32_t records, std::uint32_t row = 0,
                int level = kFastLevel);

/// What it takes to unpack a chunk and look at its records, in steps of WorkLimit.
inline std::uint64_t stepsOf(const Chunk &chunk) {
  return 2000 + std::uint64_t{24} * chunk.words + std::uint64_t{40} * chunk.values.words;
}

/// Unpacks `chunk` into `words` (resized). Returns the rule that the chunk breaks;
/// empty: none, and `words` hold exactly `chunk.words` words with the chunk's hash.
std::string unpackChunk(const Chunk &chunk, std::vector<Word> &words);

} // namespace cupr::trace

#endif

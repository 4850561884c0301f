/// Packs and unpacks chunks with zstd.
#include "chunk.h"

#include "block_columns.h"
#include "columns.h"
#include "devicelib/abi/thread_owned.h"
#include "frame.h"
#include "packed_frame.h"
#include "warp_columns.h"

#include <cstring>
#include <string_view>
#include <zstd.h>

namespace cupr::trace {

namespace {

/// What a thread keeps from chunk to chunk.
class RowPacker {
public:
  PackedWords pack(std::span<const Word> words, std::uint32_t row, int level) {
    const auto bytes = std::as_bytes(words);
    PackedWords packed;
    packed.hash = hashOf(bytes);
    EncodedWarps encoded;
    if (encodeBlocks(words, blocks_)) {
      const std::span<const std::byte> columns = blocks_;
      packed.encoding = Encoding::Blocks;
      packed.encodedBytes = static_cast<std::uint32_t>(columns.size());
      const std::size_t size = frame_.pack({&columns, 1}, 0, level);
      packed.packed = {frame_.bytes(), size};
    } else if (encoder_.encode(words, row, encoded)) {
      packed.encoding = Encoding::Warps;
      for (const auto &part : encoded.parts)
        packed.encodedBytes += static_cast<std::uint32_t>(part.size());
      std::size_t size = frame_.pack(encoded.parts, encoded.dense.size(), level);
      std::memcpy(frame_.bytes() + size, encoded.dense.data(), encoded.dense.size());
      size += encoded.dense.size();
      packed.packed = {frame_.bytes(), size};
    } else {
      packed.encodedBytes = static_cast<std::uint32_t>(bytes.size());
      const std::size_t size = frame_.pack({&bytes, 1}, 0, level);
      packed.packed = {frame_.bytes(), size};
    }
    return packed;
  }

private:
  PackedFrame frame_;
  WarpEncoder encoder_;
  std::vector<std::byte> blocks_;
};

} // namespace

PackedWords packWords(std::span<const Word> words, std::uint32_t row, int level) {
  return abi::ThreadOwned<RowPacker>::get().pack(words, row, level);
}

Chunk packChunk(std::span<const Word> words, std::uint32_t records, std::uint32_t row, int level) {
  const PackedWords packed = packWords(words, row, level);
  Chunk chunk;
  chunk.records = records;
  chunk.words = static_cast<std::uint32_t>(words.size());
  chunk.encoding = packed.encoding;
  chunk.encodedBytes = packed.encodedBytes;
  chunk.packed.assign(reinterpret_cast<const char *>(packed.packed.data()), packed.packed.size());
  chunk.hash = packed.hash;
  return chunk;
}

std::string unpackChunk(const Chunk &chunk, std::vector<Word> &words) {
  if (chunk.words > kMaxChunkWords)
    return "a chunk must not hold more than 65536 words";
  words.resize(chunk.words);
  switch (chunk.encoding) {
  case Encoding::Words: {
    if (chunk.encodedBytes != chunk.words * abi::kWordBytes)
      return "the length of the chunk's words must be 16 bytes each";
    if (std::string rule = unpackFrame(chunk.packed, std::as_writable_bytes(std::span(words))); !rule.empty())
      return rule;
    break;
  }
  case Encoding::Blocks:
  case Encoding::Columns:
  case Encoding::Warps: {
    // A column holds no more than a record's own bytes, and a little for what is odd.
    if (chunk.encodedBytes > chunk.words * std::uint64_t{2 * abi::kWordBytes} + 1024)
      return "the columns of the chunk are longer than its records can need";
    std::size_t packed = chunk.packed.size();
    if (chunk.encoding == Encoding::Warps) {
      packed = ZSTD_findFrameCompressedSize(chunk.packed.data(), chunk.packed.size());
      if (ZSTD_isError(packed))
        return std::string("the chunk does not unpack: ") + ZSTD_getErrorName(packed);
    }
    std::vector<std::byte> columns(chunk.encodedBytes);
    if (std::string rule = unpackFrame(std::string_view(chunk.packed).substr(0, packed), columns);
        !rule.empty())
      return rule;
    const auto dense = std::as_bytes(std::span(chunk.packed)).subspan(packed);
    const std::string rule =
        chunk.encoding == Encoding::Warps    ? decodeWarps(columns, dense, chunk.records, words)
        : chunk.encoding == Encoding::Blocks ? decodeBlocks(columns, words)
                                             : decodeColumns(columns, chunk.records, words);
    if (!rule.empty())
      return rule;
    break;
  }
  default:
    return "the encoding of the chunk is unknown";
  }
  if (hashOf(std::as_bytes(std::span(words))) != chunk.hash)
    return "the hash of the chunk's words is wrong";
  return {};
}

} // namespace cupr::trace

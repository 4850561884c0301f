/// Packs and unpacks chunks with zstd.
#include "chunk.h"

#include "frame.h"

#include <cstring>
#include <memory>
#include <new>
#include <zstd.h>

namespace cupr::trace {

namespace {

/// zstd's level for chunks: the writer runs beside the program, so speed counts most.
constexpr int kLevel = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx *context) const { ZSTD_freeCCtx(context); }
};

void pack(std::span<const std::byte> bytes, std::string &packed) {
  // Making a context costs more than packing a small chunk.
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context)
    throw std::bad_alloc();
  packed.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compressCCtx(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size))
    throw std::bad_alloc(); // with room for the bound, memory is all that can be missing
  packed.resize(size);
}

} // namespace

Chunk packChunk(std::span<const Word> words, std::uint32_t records) {
  Chunk chunk;
  const auto bytes = std::as_bytes(words);
  chunk.records = records;
  chunk.words = static_cast<std::uint32_t>(words.size());
  chunk.hash = hashOf(bytes);
  chunk.encoding = Encoding::Words;
  chunk.encodedBytes = static_cast<std::uint32_t>(bytes.size());
  pack(bytes, chunk.packed);
  return chunk;
}

std::string unpackChunk(const Chunk &chunk, std::vector<Word> &words) {
  if (chunk.words > kMaxChunkWords)
    return "a chunk must not hold more than 65536 words";
  if (chunk.encoding != Encoding::Words)
    return "the encoding of the chunk is unknown";
  if (chunk.encodedBytes != chunk.words * abi::kWordBytes)
    return "the length of the chunk's words must be 16 bytes each";
  words.resize(chunk.words);
  const std::size_t size =
      ZSTD_decompress(words.data(), chunk.encodedBytes, chunk.packed.data(), chunk.packed.size());
  if (ZSTD_isError(size))
    return std::string("the chunk does not unpack: ") + ZSTD_getErrorName(size);
  if (size != chunk.encodedBytes)
    return "the chunk unpacks to another length than it says";
  if (hashOf(std::as_bytes(std::span(words))) != chunk.hash)
    return "the hash of the chunk's words is wrong";
  return {};
}

} // namespace cupr::trace

/// Packs and unpacks chunks with zstd.
#include "chunk.h"

#include "block_columns.h"
#include "columns.h"
#include "devicelib/abi/thread_owned.h"
#include "frame.h"
#include "value_columns.h"
#include "warp_columns.h"

#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <zstd.h>

namespace cupr::trace {

namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx *context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx *context) const { ZSTD_freeDCtx(context); }
};

template <typename Context> Context *checked(Context *context) {
  if (!context)
    throw std::bad_alloc();
  return context;
}

/// Columns shorter than this share a block with what stands before them: a block of its own costs a table of
/// its own.
constexpr std::size_t kOwnBlock = 512;

/// A frame of zstd's, which a thread makes again and again in the same memory.
class PackedFrame {
public:
  /// Packs `parts`, one behind the other, with room for `more` bytes behind the frame. Each large part becomes a block, so
  /// that each is coded by its own statistics. Returns the frame's size.
  std::size_t pack(std::span<const std::span<const std::byte>> parts, std::size_t more, int level) {
    std::size_t bytes = 0;
    for (const auto &part : parts)
      bytes += part.size();
    ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only);
    good(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
    good(ZSTD_CCtx_setPledgedSrcSize(context_.get(), bytes));
    constexpr std::size_t kBlockHeads = 64;
    const std::size_t room = ZSTD_compressBound(bytes) + kBlockHeads * parts.size() + more;
    if (room > outSize_) {
      out_.reset(new std::byte[room]); // not zeroed
      outSize_ = room;
    }
    ZSTD_outBuffer out{out_.get(), outSize_, 0};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ZSTD_inBuffer in{parts[i].data(), parts[i].size(), 0};
      const bool last = i + 1 == parts.size();
      const bool flush = parts[i].size() >= kOwnBlock || (!last && parts[i + 1].size() >= kOwnBlock);
      const ZSTD_EndDirective how = last ? ZSTD_e_end : flush ? ZSTD_e_flush : ZSTD_e_continue;
      while (good(ZSTD_compressStream2(context_.get(), &out, &in, how)) != 0 || in.pos != in.size) {
      }
    }
    return out.pos;
  }
  std::byte *bytes() const { return out_.get(); }

private:
  static std::size_t good(std::size_t result) {
    if (ZSTD_isError(result))
      throw std::bad_alloc(); // with room for the bound, memory is all that can be missing
    return result;
  }

  std::unique_ptr<ZSTD_CCtx, FreeContext> context_{checked(ZSTD_createCCtx())};
  std::unique_ptr<std::byte[]> out_;
  std::size_t outSize_ = 0;
};

/// What a thread keeps from chunk to chunk: making it costs more than packing a small chunk.
class ValuePacker {
public:
  PackedValues pack(std::span<const Word> words, int level) {
    PackedValues packed;
    packed.hash = hashOf(std::as_bytes(words));
    std::vector<std::span<const std::byte>> parts;
    encodeValues(words, columns_, parts);
    packed.encodedBytes = static_cast<std::uint32_t>(columns_.size());
    const std::size_t size = frame_.pack(parts, 0, level);
    packed.packed = {frame_.bytes(), size};
    return packed;
  }

private:
  PackedFrame frame_;
  std::vector<std::byte> columns_;
};

/// The same.
class Packer {
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

/// Unpacks a frame to exactly `bytes`. Returns the rule that is broken; empty: none.
std::string unpack(std::string_view packed, std::span<std::byte> bytes) {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(checked(ZSTD_createDCtx()));
  const std::size_t size =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(size))
    return std::string("the chunk does not unpack: ") + ZSTD_getErrorName(size);
  if (size != bytes.size())
    return "the chunk unpacks to another length than it says";
  return {};
}

} // namespace

PackedWords packWords(std::span<const Word> words, std::uint32_t row, int level) {
  return abi::ThreadOwned<Packer>::get().pack(words, row, level);
}

PackedValues packValues(std::span<const Word> words, int level) {
  return abi::ThreadOwned<ValuePacker>::get().pack(words, level);
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
    if (std::string rule = unpack(chunk.packed, std::as_writable_bytes(std::span(words)));
        !rule.empty())
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
    if (std::string rule = unpack(std::string_view(chunk.packed).substr(0, packed), columns); !rule.empty())
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

std::string unpackValues(const ChunkValues &values, std::vector<Word> &words) {
  words.clear();
  if (values.words == 0)
    return {};
  if (values.words > kMaxChunkValueWords)
    return "a chunk must not hold more than 131072 words of values";
  // A column holds no more than a record's own bytes, and a byte for its form.
  if (values.encodedBytes > values.words * std::uint64_t{abi::kWordBytes + 1} + sizeof(std::uint32_t))
    return "the columns of the chunk's values are longer than they can need";
  std::vector<std::byte> columns(values.encodedBytes);
  if (std::string rule = unpack(values.packed, columns); !rule.empty())
    return rule;
  words.resize(values.words);
  if (std::string rule = decodeValues(columns, words); !rule.empty())
    return rule;
  if (hashOf(std::as_bytes(std::span(words))) != values.hash)
    return "the hash of the chunk's values is wrong";
  return {};
}

} // namespace cupr::trace

#include "packed_values.h"

#include "devicelib/abi/thread_owned.h"
#include "frame.h"
#include "packed_frame.h"

namespace cupr::trace {

namespace {

/// What a thread keeps from chunk to chunk.
struct ValuePacker {
  PackedFrame frame;
  std::vector<std::byte> columns;
};

} // namespace

PackedValues packValues(std::span<const Word> words, std::span<const Word> values,
                        std::span<const ValueSite> sites, int level) {
  PackedValues packed;
  auto &[frame, columns] = abi::ThreadOwned<ValuePacker>::get();
  std::vector<std::span<const std::byte>> parts;
  if (values.empty() || !encodeValues(words, values, sites, columns, parts))
    return packed;
  packed.words = static_cast<std::uint32_t>(values.size());
  packed.encodedBytes = static_cast<std::uint32_t>(columns.size());
  packed.hash = hashOf(std::as_bytes(values));
  const std::size_t size = frame.pack(parts, 0, level);
  packed.packed = {frame.bytes(), size};
  return packed;
}

std::string unpackValues(const ChunkValues &packed, std::span<const Word> words,
                         std::span<const ValueSite> sites, std::vector<Word> &values) {
  values.clear();
  if (packed.words == 0)
    return {};
  if (packed.words > kMaxChunkValueWords)
    return "a chunk must not hold more than 131072 words of values";
  // A column holds no more than a record's own bytes, and for what is known in part a mask.
  if (packed.encodedBytes > packed.words * std::uint64_t{abi::kWordBytes + 8} + sizeof(std::uint32_t))
    return "the columns of the chunk's values are longer than they can need";
  std::vector<std::byte> columns(packed.encodedBytes);
  if (std::string rule = unpackFrame(packed.packed, columns); !rule.empty())
    return rule;
  values.resize(packed.words);
  if (std::string rule = decodeValues(columns, words, sites, values); !rule.empty())
    return rule;
  if (hashOf(std::as_bytes(std::span(values))) != packed.hash)
    return "the hash of the chunk's values is wrong";
  return {};
}

std::string unpackChunk(const Chunk &chunk, std::span<const Site> sites, std::vector<Word> &words,
                        std::vector<Word> &values) {
  values.clear();
  std::string rule = unpackChunk(chunk, words);
  return rule.empty() && chunk.values.words != 0
             ? unpackValues(chunk.values, words, valueSitesOf(sites), values)
             : rule;
}

} // namespace cupr::trace

#include "snapshot.h"

#include "chunk.h"
#include "frame.h"

#include <algorithm>
#include <new>
#include <zstd.h>

namespace cupr::trace {

Contents packContents(std::span<const std::byte> bytes) {
  Contents contents;
  contents.bytes = static_cast<std::uint32_t>(bytes.size());
  contents.hash = hashOf(bytes);
  contents.packed.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(contents.packed.data(), contents.packed.size(), bytes.data(), bytes.size(), kFastLevel);
  if (ZSTD_isError(size)) // there is room
    throw std::bad_alloc();
  contents.packed.resize(size);
  return contents;
}

std::string unpackContents(const Contents &contents, std::vector<std::byte> &bytes) {
  bytes.resize(contents.bytes);
  const std::size_t size =
      ZSTD_decompress(bytes.data(), bytes.size(), contents.packed.data(), contents.packed.size());
  if (ZSTD_isError(size) || size != bytes.size())
    return "the contents of memory do not unpack to their length";
  if (hashOf(bytes) != contents.hash)
    return "the contents of memory do not have their hash";
  return {};
}

std::string brokenSnapshotRule(const Snapshot &snapshot,
                               const std::function<std::uint32_t(std::uint32_t)> &sizeOf) {
  const std::uint64_t count = (snapshot.bytes + abi::kPieceBytes - 1) / abi::kPieceBytes;
  if (snapshot.pieces.size() != count)
    return "a snapshot must have a piece for each 65536 bytes of its range";
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t bytes = sizeOf(snapshot.pieces[i]);
    if (bytes == 0)
      return "a snapshot names contents that are not there";
    if (bytes != std::min<std::uint64_t>(abi::kPieceBytes, snapshot.bytes - i * abi::kPieceBytes))
      return "a snapshot names contents of another size";
  }
  return {};
}

} // namespace cupr::trace

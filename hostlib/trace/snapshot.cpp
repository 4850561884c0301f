#include "snapshot.h"

#include "chunk.h"
#include "frame.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <zstd.h>

namespace cupr::trace {

namespace {

constexpr std::size_t kNumber = sizeof(std::uint32_t);

std::uint32_t numberAt(std::span<const std::byte> bytes, std::size_t index) {
  std::uint32_t number;
  std::memcpy(&number, &bytes[index * kNumber], sizeof number);
  return number;
}

/// Indices mostly grow, or repeat themselves some distance further on; their differences are what zstd can shorten.
std::vector<std::byte> differencesOf(std::span<const std::byte> bytes) {
  const std::size_t count = bytes.size() / kNumber;
  std::vector<std::byte> planes(bytes.size());
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t number = numberAt(bytes, i), difference = number - before;
    before = number;
    for (std::size_t plane = 0; plane < kNumber; ++plane)
      planes[plane * count + i] = static_cast<std::byte>(difference >> 8 * plane);
  }
  std::ranges::copy(bytes.subspan(count * kNumber),
                    planes.begin() + static_cast<std::ptrdiff_t>(count * kNumber));
  return planes;
}

std::vector<std::byte> sumsOf(std::span<const std::byte> planes) {
  const std::size_t count = planes.size() / kNumber;
  std::vector<std::byte> bytes(planes.size());
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t plane = 0; plane < kNumber; ++plane)
      number += std::to_integer<std::uint32_t>(planes[plane * count + i]) << 8 * plane;
    std::memcpy(&bytes[i * kNumber], &number, sizeof number);
  }
  std::ranges::copy(planes.subspan(count * kNumber),
                    bytes.begin() + static_cast<std::ptrdiff_t>(count * kNumber));
  return bytes;
}

std::string compressed(std::span<const std::byte> bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kFastLevel);
  if (ZSTD_isError(size)) // there is room
    throw std::bad_alloc();
  packed.resize(size);
  return packed;
}

} // namespace

Contents packContents(std::span<const std::byte> bytes) {
  Contents contents;
  contents.bytes = static_cast<std::uint32_t>(bytes.size());
  contents.hash = hashOf(bytes);
  contents.packed = compressed(bytes);
  if (std::string differences = compressed(differencesOf(bytes));
      differences.size() < contents.packed.size()) {
    contents.packed = std::move(differences);
    contents.isDifferences = true;
  }
  return contents;
}

std::string unpackContents(const Contents &contents, std::vector<std::byte> &bytes) {
  bytes.resize(contents.bytes);
  const std::size_t size =
      ZSTD_decompress(bytes.data(), bytes.size(), contents.packed.data(), contents.packed.size());
  if (ZSTD_isError(size) || size != bytes.size())
    return "the contents of memory do not unpack to their length";
  if (contents.isDifferences)
    bytes = sumsOf(bytes);
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

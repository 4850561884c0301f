/// The trace files of cuda-memtrace and of Rieber 2017 (docs/references.md), which hold accesses to global
/// memory, kernel by kernel, and little else.
///
/// All numbers are little endian. What an access is:
///
///     u32 kind << 28 | size in bytes    u32 SM    u64 address    u16 CTA z  u16 CTA y  u32 CTA x
///
/// Versions 2 and 3 (`.trc` of cuda-memtrace): ten bytes of magic, then entries, each with a byte in front:
///
///     00   u16 length, name of the next kernel
///     FF   one access
///     FE   one access and a u16 count: that many accesses, each at the address where the one before ended.
///          Version 3 only
///
/// Kinds are 0 load, 1 store, 2 atomic.
///
/// Version 1 (Rieber 2017, figures 5.2 and 5.3): a byte that holds the length of an access, 24. For each
/// kernel: LF, name, LF, accesses, 24 zero bytes. The bits of an access are numbered from CTA.z up, so it
/// starts with the CTA:
///
///     u16 CTA z  u16 CTA y  u32 CTA x    u64 address    u32 kind << 28 | size    u32 SM
///
/// Kinds are 1 load, 2 store, and 3 to 13 the atomic operations in the order of devicelib/abi/operation.def.
#ifndef CUPR_ANALYSIS_MEMTRACE_LAYOUT_H
#define CUPR_ANALYSIS_MEMTRACE_LAYOUT_H

#include "devicelib/abi/operation.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace cupr::analysis::memtrace {

inline constexpr unsigned kNewestVersion = 3;
inline constexpr std::size_t kAccessBytes = 24;
inline constexpr std::size_t kCountBytes = 2;
/// Bytes 1 to 9 of the magic of versions 2 and 3; byte 0 is the version and 23.
inline constexpr std::string_view kMagic = "CUDATRACE";
inline constexpr unsigned char kVersionOffset = 23;

enum Marker : unsigned char { kKernel = 0x00, kRun = 0xfe, kSingle = 0xff };

inline constexpr std::uint32_t kSizeBits = 28;
inline constexpr std::uint32_t kLargestSize = (1u << kSizeBits) - 1;
inline constexpr std::uint32_t kLongestRun = UINT16_MAX;

/// What one thread did, or with a count, several in turn.
struct Access {
  std::uint64_t address;
  std::uint32_t kind, size;
  std::uint32_t sm;
  std::uint32_t x;
  std::uint16_t y, z;

  /// Same but for the address.
  bool isLike(const Access &other) const {
    return kind == other.kind && size == other.size && sm == other.sm && x == other.x && y == other.y &&
           z == other.z;
  }
};

inline std::uint32_t kindOf(abi::Operation operation, unsigned version) {
  if (version == 1)
    return static_cast<std::uint32_t>(operation) + 1;
  return static_cast<std::uint32_t>(abi::operationClass(operation));
}

/// Nothing if there is no such kind. Versions 2 and 3 don't tell which atomic operation it was: it becomes an
/// atomic add.
inline std::optional<abi::Operation> operationOf(std::uint32_t kind, unsigned version) {
  if (version == 1)
    return kind >= 1 && kind <= abi::kOperationCount && abi::isAccess(static_cast<abi::Operation>(kind - 1))
               ? std::optional(static_cast<abi::Operation>(kind - 1))
               : std::nullopt;
  static constexpr abi::Operation kOperations[] = {abi::Operation::Load, abi::Operation::Store,
                                                   abi::Operation::AtomicAdd};
  return kind < std::size(kOperations) ? std::optional(kOperations[kind]) : std::nullopt;
}

/// Offsets of the parts in an access.
struct Parts {
  std::size_t kindAndSize, sm, address, z, y, x;
};
inline constexpr Parts kPartsOfVersion1{16, 20, 8, 0, 2, 4};
inline constexpr Parts kPartsOfOthers{0, 4, 8, 16, 18, 20};
inline const Parts &partsOf(unsigned version) { return version == 1 ? kPartsOfVersion1 : kPartsOfOthers; }

inline void pack(const Access &access, unsigned version, unsigned char (&bytes)[kAccessBytes]) {
  const Parts &parts = partsOf(version);
  const std::uint32_t kindAndSize = access.kind << kSizeBits | access.size;
  std::memcpy(bytes + parts.kindAndSize, &kindAndSize, sizeof kindAndSize);
  std::memcpy(bytes + parts.sm, &access.sm, sizeof access.sm);
  std::memcpy(bytes + parts.address, &access.address, sizeof access.address);
  std::memcpy(bytes + parts.z, &access.z, sizeof access.z);
  std::memcpy(bytes + parts.y, &access.y, sizeof access.y);
  std::memcpy(bytes + parts.x, &access.x, sizeof access.x);
}

inline Access unpack(const unsigned char *bytes, unsigned version) {
  const Parts &parts = partsOf(version);
  Access access;
  std::uint32_t kindAndSize;
  std::memcpy(&kindAndSize, bytes + parts.kindAndSize, sizeof kindAndSize);
  access.kind = kindAndSize >> kSizeBits;
  access.size = kindAndSize & kLargestSize;
  std::memcpy(&access.sm, bytes + parts.sm, sizeof access.sm);
  std::memcpy(&access.address, bytes + parts.address, sizeof access.address);
  std::memcpy(&access.z, bytes + parts.z, sizeof access.z);
  std::memcpy(&access.y, bytes + parts.y, sizeof access.y);
  std::memcpy(&access.x, bytes + parts.x, sizeof access.x);
  return access;
}

} // namespace cupr::analysis::memtrace

#endif

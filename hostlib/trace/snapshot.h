/// What memory held when a launch began, for slices that look it up (devicelib/abi/slice.h).
///
/// Memory is taken in pieces, which are written once, however many launches find the same: indices seldom change from launch
/// to launch. A snapshot says of which pieces a range of memory consisted; launches name snapshots at their end.
#ifndef CUPR_TRACE_SNAPSHOT_H
#define CUPR_TRACE_SNAPSHOT_H

#include "devicelib/abi/snapshot.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

/// A piece of memory: abi::kPieceBytes bytes, or fewer at the end of a range.
struct Contents {
  std::uint32_t id = 0;
  std::uint32_t bytes = 0;
  bool isDifferences =
      false; ///< what is packed: differences of 4-byte numbers, byte by byte; else the bytes as they are
  std::string packed;     ///< one zstd frame
  std::uint64_t hash = 0; ///< XXH3-64 of the bytes
};

struct Snapshot {
  std::uint32_t id = 0;
  std::uint64_t address = 0, bytes = 0;
  std::vector<std::uint32_t> pieces; ///< Contents::id of each, in the order of the addresses
};

/// The largest range that a snapshot may hold, in bytes.
inline constexpr std::uint64_t kMaxSnapshotBytes = std::uint64_t{1} << 32;

/// Tells pieces apart: 128 bits of their bytes.
using PieceDigest = std::array<std::uint64_t, 2>;
PieceDigest digestOf(std::span<const std::byte> bytes);

/// Everything but the id, in whichever form takes less. Throws std::bad_alloc.
Contents packContents(std::span<const std::byte> bytes);
/// Unpacks into `bytes` (resized). Returns the rule that the contents break; empty: none.
std::string unpackContents(const Contents &contents, std::vector<std::byte> &bytes);
/// What that takes, in steps of WorkLimit.
inline std::uint64_t stepsOf(const Contents &contents) { return 2000 + std::uint64_t{2} * contents.bytes; }

/// The rule of trace.capnp that the snapshot breaks; empty: none. `sizeOf` gives the bytes of contents, 0 if there is none of
/// that number.
std::string brokenSnapshotRule(const Snapshot &snapshot,
                               const std::function<std::uint32_t(std::uint32_t)> &sizeOf);

} // namespace cupr::trace

#endif

/// The message of a HostBatch: its rows as columns in a zstd frame, so that a call takes a few bytes.
///
/// A column is one byte that says its width, from 0 to 8, and so many planes (planes.h) of a byte for each row, the lowest first. Its numbers are
/// those of the rows as they are (=), plus 1 where 0xffffffff is likely (+1), or, in zigzag, their differences from the
/// row before (d, of the first row from 0; d32: of 32 bits). The columns follow each other:
///
///     nodes     parent d32, object +1, offset d, kind =
///     calls     name =, thread =, node +1, began: d from the `ended` of the row before, ended: less began
///     acts      order d, call d
///     samples   time d, thread =, node +1, weight d
///     places    object =, offset d, number of frames =
///     frames    function =, file = (indices of texts), line d, column =
///     texts     number of bytes =
///
/// Then the bytes of the texts, one behind the other. Frames are those of the places, in their order.
#ifndef CUPR_TRACE_PACKED_HOST_H
#define CUPR_TRACE_PACKED_HOST_H

#include "host_batch.h"

#include <cstddef>

namespace cupr::trace {

/// What one message may hold at most: rows of each kind, and bytes of texts, in the message and when each frame is written
/// out with its own.
inline constexpr std::size_t kMaxHostRows = 65536;
inline constexpr std::size_t kMaxHostText = 1u << 20;

/// As HostBatch in trace.capnp, which says what holds.
struct PackedHostBatch {
  HostCounts first; ///< of the batches before
  std::vector<std::string> names;
  std::vector<HostObject> objects;
  std::vector<HostThread> threads;
  std::vector<HostSampling> samplings;
  // These stand beside the columns: older readers know nothing of them.
  std::vector<HostLoop> loops;
  std::vector<HostFailure> failures;
  std::vector<HostAccess> accesses;
  std::uint32_t nodes = 0, calls = 0, acts = 0, samples = 0, places = 0, frames = 0, texts = 0, textBytes = 0;
  std::uint32_t encodedBytes = 0;
  std::string packed;     ///< one zstd frame
  std::uint64_t hash = 0; ///< XXH3-64 of what it unpacks to
};

/// Behind `counts` that are before it.
HostCounts &operator+=(HostCounts &counts, const PackedHostBatch &packed);

/// As few messages as hold the batch, in an order in which rows name earlier ones; `first` is left to the caller. Of places
/// whose texts no message can hold the frames are left out. A call that ends before it begins ends there. Throws
/// std::bad_alloc only.
std::vector<PackedHostBatch> packHost(const HostBatch &batch, int level);

/// Unpacks into `batch`, whatever it has held; its memory is used again. Returns the rule that is broken; empty: none. What must hold between rows is brokenHostRule's.
std::string unpackHost(const PackedHostBatch &packed, HostBatch &batch);
/// What that takes, in steps of WorkLimit.
inline std::uint64_t stepsOf(const PackedHostBatch &packed) {
  const auto rows = std::uint64_t{packed.nodes} + packed.calls + packed.acts + packed.samples +
                    packed.places + packed.loops.size() + packed.failures.size() + packed.accesses.size();
  return 2000 + 30 * rows + 200 * std::uint64_t{packed.frames} + packed.textBytes;
}

} // namespace cupr::trace

#endif

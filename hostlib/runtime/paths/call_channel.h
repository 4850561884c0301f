/// The way of a thread's calls from the thread to the log (host_log.h).
#ifndef CUPR_RUNTIME_CALL_CHANNEL_H
#define CUPR_RUNTIME_CALL_CHANNEL_H

#include "row_ring.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace cupr::host {

/// What a call did, in order, and then the call, once it is over.
struct CallRow {
  const char *hook;    ///< name of the function that stood in for the call; must stay. Null: an act
  std::uint64_t began; ///< nanoseconds since the process's start time; of an act, its order
  std::uint64_t ended;
  std::uint32_t node;
};

struct CallChannel {
  /// So many rows; each is 32 bytes.
  static constexpr std::size_t kRows = 4096;
  /// With so many, they are worth a batch of their own.
  static constexpr std::size_t kBatch = kRows / 2;

  explicit CallChannel(std::uint32_t number) : thread(number) {}

  const std::uint32_t thread; ///< its number in the log
  RowRing<CallRow> rows{kRows};
  std::mutex collecting;           ///< guards what follows, and who collects
  std::vector<std::uint64_t> acts; ///< of a call that isn't over
};

} // namespace cupr::host

#endif

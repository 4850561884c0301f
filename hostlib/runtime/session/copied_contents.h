/// Which copies to the device bring it the bytes that an earlier one has brought to the same place.
///
/// Nothing is kept but hashes of 64 bits, and a program that copies what has changed pays little: of a copy above 64 KiB, sixteen stretches are
/// looked at first, and only where they are as they were last time, all of it. So such a copy is known for the same from the third time on.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_COPIED_CONTENTS_H
#define CUPR_RUNTIME_COPIED_CONTENTS_H

#include "hostlib/trace/events.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace cupr::host {

class CopiedContents {
public:
  /// The order of the last copy that is known to have brought the same bytes to the same place; 0: none is. The copy is done, has its order,
  /// and its source can be read and is as it was.
  std::uint64_t sameAs(const trace::Copy &copy);

private:
  struct Known {
    std::uint64_t order;
    std::uint64_t rowBytes, rows, pitch; ///< at the destination
    std::uint64_t sample;                ///< of parts of the bytes
    std::optional<std::uint64_t> whole;  ///< of all of them
    bool isOfShape(const trace::Copy &copy) const {
      return rowBytes == copy.rowBytes && rows == copy.rows && pitch == copy.destinationPitch;
    }
  };
  /// So many places are remembered; with more, all are forgotten and it begins anew.
  static constexpr std::size_t kMost = 1u << 16;

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Known> known_; ///< by destination
};

} // namespace cupr::host

#endif

/// A cache of lines of 128 bytes in sectors of 32, each of which is there or not: how NVIDIA's L1 and L2 caches are built.
///
/// Lines are in sets of kWays, chosen by a hash of the address, and the one that was used least recently makes room.
#ifndef CUPR_ANALYSIS_SECTOR_CACHE_H
#define CUPR_ANALYSIS_SECTOR_CACHE_H

#include "key_hash.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

inline constexpr unsigned kLineBytes = 128, kSectorsPerLine = 4;

/// Some sectors of a line.
struct LineSectors {
  std::uint64_t line;    ///< its address, divided by kLineBytes
  std::uint8_t sectors;  ///< a bit for each
  std::uint8_t complete; ///< of these: all bytes are accessed
  unsigned count() const { return static_cast<unsigned>(std::popcount(sectors)); }
};

class SectorCache {
public:
  explicit SectorCache(std::uint64_t bytes) { clear(bytes); }

  /// What is there of a line: a bit for each sector.
  struct State {
    std::uint8_t readable = 0; ///< all of its bytes are known
    std::uint8_t present = 0;  ///< likewise, or some of them have been written
    std::uint8_t dirty = 0;    ///< have been written, and memory does not know yet
    std::uint8_t arriving = 0; ///< of readable: for whoever asks at this moment, on their way
    std::uint64_t moment = 0;  ///< as the user counts them
  };
  /// Uses the line, and makes room for it if it isn't there; gives what was there before, and what is, to be changed until the next call.
  struct Use {
    State before;
    State &now;
  };
  Use use(std::uint64_t line) {
    Line *const set = &lines_[keyHash(line, 0) % sets_ * kWays];
    Line *oldest = set;
    ++time_;
    for (Line *at = set; at != set + kWays; ++at) {
      if (at->line == line && at->used >= since_) {
        at->used = time_;
        return {at->state, at->state};
      }
      if (at->used < oldest->used)
        oldest = at;
    }
    *oldest = {line, time_, {}};
    return {{}, oldest->state};
  }
  /// Forgets all, and is so large from now on. Takes no time where it was before.
  void clear(std::uint64_t bytes) {
    const std::uint64_t sets = std::max<std::uint64_t>(bytes / (kLineBytes * kWays), 1);
    if (sets != sets_)
      lines_.assign(sets * kWays, {});
    sets_ = sets;
    since_ = time_ + 1;
  }

private:
  static constexpr unsigned kWays = 16;
  struct Line {
    std::uint64_t line = 0, used = 0; ///< before since_: none is here
    State state;
  };
  std::uint64_t sets_ = 0, time_ = 0, since_ = 1;
  std::vector<Line> lines_;
};

} // namespace cupr::analysis

#endif

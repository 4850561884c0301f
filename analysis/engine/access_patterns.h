/// What each access of a program makes of its requests: the patterns of its warps (request_pattern.h), with what each of them costs, and
/// how far the next access of a thread, of its neighbours, and of the next block is from it, and to which few addresses many come
/// (address_tally.h).
///
/// Global and local memory's requests are looked at for their sectors, those of shared memory for their banks; other memory not at all.
///
/// Nothing of it needs to know what memory holds, so no shadow of it is kept, and of blocks that are alike (block_family.h) one is
/// looked at: an answer in the time that the trace is read in, or less.
///
/// A *distance* is known of a thread's access and the one before at the same place of the same launch, where both are in one chunk of
/// the trace. Distances are kept by value while there are few; what an access mostly does is asked for, and nothing is summed up.
#ifndef CUPR_ANALYSIS_ACCESS_PATTERNS_H
#define CUPR_ANALYSIS_ACCESS_PATTERNS_H

#include "address_tally.h"
#include "analysis/model/launch_selection.h"
#include "analysis/model/record_selection.h"
#include "bank_wavefronts.h"
#include "communication.h"
#include "request_pattern.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace cupr::analysis {

class Progress;

struct PatternVolume {
  RequestFigures made;            ///< of global and local memory
  BankFigures banks;              ///< of shared memory
  std::uint64_t warpAccesses = 0; ///< each is one request, or several (requests.h)
  std::uint64_t threads = 0;      ///< accesses of threads
  std::uint64_t oneAddress = 0;   ///< of made.requests: all threads have the same address
  std::uint64_t sharedAddresses =
      0; ///< of `threads`: another thread of the request, counted before, has the same address
  PatternVolume &operator+=(const PatternVolume &other);
  PatternVolume times(std::uint64_t count) const;
  friend bool operator==(const PatternVolume &, const PatternVolume &) = default;
};

/// What something mostly is, of values that are told one after the other.
class Distances {
public:
  void add(std::int64_t value, std::uint64_t times);
  void add(const Distances &other, std::uint64_t times);
  /// The value of more than half of what was told; none: there is none, or it isn't known.
  std::optional<std::int64_t> most() const;
  /// How often it was this value, as far as it is known.
  std::uint64_t timesOf(std::int64_t value) const;

private:
  struct Count {
    std::int64_t value = 0;
    std::uint64_t times = 0;
  };
  static constexpr std::size_t kMost = 16;
  std::array<Count, kMost> counts_{};
  std::size_t size_ = 0;
  std::uint64_t all_ = 0; ///< with those that found no room
};

/// How far accesses reach, by the addresses of their first and last threads.
struct Reach {
  std::uint64_t least = UINT64_MAX, most = 0;
  void add(std::uint64_t address) {
    least = std::min(least, address);
    most = std::max(most, address);
  }
  void add(const Reach &other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
  /// It lies in `other`, or goes so far beyond it, at most.
  bool isWithin(const Reach &other, std::uint64_t beyond) const {
    return other.least - std::min(other.least, beyond) <= least &&
           most - std::min(most, beyond) <= other.most;
  }
  friend bool operator==(const Reach &, const Reach &) = default;
};

/// Of one site, as one kernel reaches it.
struct SitePatterns {
  std::map<RequestPattern, PatternVolume> patterns;
  /// Bytes from a warp's access to its next one here; how often that one begins at another place in a sector.
  Distances next;
  std::uint64_t shifts = 0;
  /// From the first access of a thread here to that of its neighbour along x, along y, and in the next block.
  Distances across, along, block;
  /// From the first access of a warp here to that of the next warp of its block.
  Distances warp;
  /// Of atomics, and of requests with one address: where they meet.
  MeetingVolume met;
  MeetingPlaces at;
  /// The lowest address of the first access that was looked at.
  std::uint64_t first = UINT64_MAX;
  Reach reach;
  /// Names of the shared variables that are accessed, as far as launches say where these lie. The model's.
  std::set<std::string_view> variables;
  PatternVolume all() const;
  void add(const SitePatterns &other, std::uint64_t times);
};

/// What is looked at, and how.
struct PatternOptions {
  LaunchSelection launches{};
  RecordSelection records{};
  BankWidth bankWidth = BankWidth::Four;
  Progress *progress = nullptr; ///< may be null
};

/// By kernel and site, as in Communication. The same for any number of threads. Throws BadTrace, trace::TooMuch; std::runtime_error if no
/// launch is selected, or no such file is there.
std::map<KernelSite, SitePatterns> accessPatterns(const Model &model, const PatternOptions &options = {});

} // namespace cupr::analysis

#endif

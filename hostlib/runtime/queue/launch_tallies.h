/// What launches on a GPU note beside their records (Trace::tally): accesses that are counted (CUPR_COUNT), or the blocks
/// that have begun (abi/begun_blocks.h).
///
/// Launches overlap, so each has an array of its own from its call to its end. The close kernel copies it to its place
/// in pinned host memory and sets it back to 0: when a launch ends no driver call is needed, and the array can be used
/// for the next.
///
/// New arrays need the driver, which may wait for kernels that wait for pages to be taken from them. So who
/// gives an array back, as those do that take pages, must not wait for who makes new ones.
#ifndef CUPR_RUNTIME_LAUNCH_TALLIES_H
#define CUPR_RUNTIME_LAUNCH_TALLIES_H

#include "hostlib/runtime/driver/driver.h"
#include "hostlib/trace/events.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace cupr::host {

/// What is counted, less the zeros.
std::vector<trace::SiteCount> siteCounts(std::span<const unsigned long long> counters);

/// Memory is never given back: it lives as long as the context, and the driver may be gone before us.
/// Threads: any thread may call any member.
class LaunchTallies {
public:
  struct Array {
    unsigned long long *device = nullptr; ///< device memory; null: there is none
    unsigned long long *host = nullptr;   ///< pinned host memory: what the close kernel has found
    unsigned size = 0;                    ///< elements
  };

  /// All arrays together take no more than this of the device's memory, and as much of the host's.
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

  explicit LaunchTallies(const Driver &driver) : driver_(driver) {}

  /// An array of at least `words` zeros, in the current context. None, and a message the first time, when
  /// there is no memory; none when all that there may be is in use.
  Array take(unsigned words);
  /// What lies in device memory must be 0.
  void give(const Array &array);

private:
  /// Null: there is none.
  Array takeFree(unsigned size);
  std::vector<Array> allocate(unsigned size);

  const Driver &driver_;
  std::mutex allocating_; ///< held while the driver makes arrays; guards the next two
  bool hasWarned_ = false;
  std::size_t allocated_ = 0;                   ///< bytes
  std::mutex mutex_;                            ///< guards what follows; never held in a call of the driver
  std::map<unsigned, std::vector<Array>> free_; ///< by size
};

} // namespace cupr::host

#endif

/// The memory of a device's queue (abi/queue.h): who sees which part where.
///
/// Counters lie in device memory, and what the host and the device tell each other in pinned host memory,
/// which the host reads without a driver call, and still reads when the GPU has trapped. Pages lie in device
/// memory, which takes bursts at its own speed, or in pinned host memory, which is slower but needs no driver
/// to be read (CUPR_BINS).
#ifndef CUPR_RUNTIME_QUEUE_MEMORY_H
#define CUPR_RUNTIME_QUEUE_MEMORY_H

#include "devicelib/abi/queue.h"
#include "devicelib/abi/trace_argument.h"
#include "hostlib/runtime/driver/driver.h"
#include "hostlib/runtime/settings/settings.h"

#include <cassert>
#include <string>

namespace cupr::host {

/// Entries of the ring of launch ends.
inline constexpr unsigned kLaunchEnds = 256;

/// Never given back: it lives as long as the context, and the driver may be gone before us.
struct QueueMemory {
  Trace argument{}; ///< the trace argument but for the launch
  CUdeviceptr tickets = 0;

  unsigned bins = 0, pagesPerBin = 0;
  std::size_t pageBytes = 0;

  // Pinned host memory.
  unsigned long long *published = nullptr; ///< one per page
  abi::HostBin *hostBins = nullptr;
  unsigned char *evictions = nullptr;    ///< a page per bin; null where pages lie in host memory
  unsigned long long *evicted = nullptr; ///< one per bin
  abi::LaunchEnd *ends = nullptr;
  unsigned long long *positions = nullptr; ///< of the ends, `bins` each
  unsigned long long *taken = nullptr;
  unsigned long long *broken = nullptr; ///< abi::Link::broken
  unsigned char *hostPages = nullptr;   ///< null where pages lie in device memory
  /// Blocks of one page each, which pages in device memory are copied to; none where they lie in host memory.
  unsigned char *staging = nullptr;
  unsigned stagingBlocks = 0;

  /// Allocates all of it in the current context. False, and why, when there is not enough memory.
  bool allocate(const Driver &driver, const Settings &settings, std::string &reason);

  std::size_t slot(unsigned bin, std::uint64_t page) const {
    assert(bin < bins && "pages are of the queue's bins");
    return std::size_t{bin} * pagesPerBin + (page & (pagesPerBin - 1));
  }
  /// Where a page lies in host memory.
  const unsigned char *hostPage(unsigned bin, std::uint64_t page) const {
    return hostPages + slot(bin, page) * pageBytes;
  }
  CUdeviceptr devicePage(unsigned bin, std::uint64_t page) const {
    return reinterpret_cast<CUdeviceptr>(argument.pages) + slot(bin, page) * pageBytes;
  }
  /// Whether the device has found the queue in a state that can't be.
  bool isBroken() const;
  /// Nobody waits for space any more. What is recorded from now on is lost.
  void letAllPass() const;
  /// The length of a page that may be read; 0: it may not yet.
  std::uint32_t publishedBytes(unsigned bin, std::uint64_t page) const;
};

} // namespace cupr::host

#endif

/// How long accesses take on the CPU device: a model, so that whoever reads times has some whose truth is known.
///
/// The clock of a warp is 0 when its block begins, and goes on with the accesses of timed kernels alone. An access, as the warp makes it
/// together, takes
///
///     global    300 cycles, and 4 for each sector of 32 bytes beyond the first
///     shared    23, and 2 for each wavefront beyond the first: as many as the words of 4 bytes that the busiest of 32 banks gives
///     constant  30, and 4 for each word of 4 bytes beyond the first
///     local     36
///     texture   400
///
/// and kIssueCycles more go by before the warp's next one. The scheme `naive` (abi/latency_scheme.h), which waits for nothing, sees
/// kIssueCycles of any. There are no caches: the same request always takes the same time. Numbers are of the size of an H100's, no more.
#ifndef CUPR_CPU_ACCESS_CLOCK_H
#define CUPR_CPU_ACCESS_CLOCK_H

#include "devicelib/abi/latency_scheme.h"
#include "devicelib/abi/memory_space.h"

#include <cstdint>

namespace cupr::cpu {

constexpr std::uint32_t kIssueCycles = 8;

/// Of an access of `bytes` bytes by each of the lanes in `mask`.
std::uint32_t modelledCycles(abi::MemorySpace space, std::uint32_t bytes, std::uint32_t mask,
                             const std::uint64_t *address);

/// Of one block.
class AccessClock {
public:
  struct Times {
    std::uint64_t began;
    std::uint32_t duration;
  };

  void open();
  /// A warp's next access, which takes so many cycles.
  Times pass(std::uint32_t warp, std::uint32_t cycles, abi::LatencyScheme scheme);

private:
  static constexpr unsigned kWarps = 32; ///< of a block
  std::uint64_t now_[kWarps] = {};
};

} // namespace cupr::cpu

#endif

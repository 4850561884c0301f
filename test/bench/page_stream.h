/// Streams of pages as the GPU's queue makes them, without a GPU: what the host's side is measured with.
///
/// What makes such streams hard to compress is the order of records. A multiprocessor runs up to 64 warps at
/// once, each at its own pace; blocks come to it as others end. So a small simulation runs each kernel: every
/// warp takes its next step after a delay that is partly random, blocks start in order wherever there is
/// room, and a bin holds the records of a multiprocessor in the order in which they happened.
#ifndef CUPR_BENCH_PAGE_STREAM_H
#define CUPR_BENCH_PAGE_STREAM_H

#include "devicelib/abi/operation.h"
#include "hostlib/trace/chunk.h"
#include "hostlib/trace/events.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::bench {

/// What the kernels access lies in here.
inline constexpr std::uint64_t kMemory = 0x7f2a00000000u, kMemoryBytes = std::uint64_t{4} << 30;

struct SiteShape {
  abi::Operation operation;
  unsigned bytes;
};

/// One launch of a kernel.
struct PageStream {
  struct Page {
    std::uint32_t bin;
    std::vector<trace::Word> words; ///< as long as pages are; the last of a bin may be shorter
  };

  std::string name;
  std::vector<SiteShape> sites;
  trace::Dim3 grid, block;
  std::vector<Page> pages; ///< in the order in which they became full
  std::uint64_t records = 0, accesses = 0;
};

inline constexpr unsigned kBins = 128;
inline constexpr std::size_t kPageWords = 4096;

/// Vector addition, stencil, tiled matrix product, histogram and random gather, as patterns.cu has them, and a
/// gather by lanes that have come apart, each of about `elements` elements. Always the same for the same `elements`. `only`: one of them, by name.
std::vector<PageStream> pageStreams(unsigned elements, const std::string &only = {});

} // namespace cupr::bench

#endif

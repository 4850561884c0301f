/// The trace argument: what `cuprewrite` adds to every kernel (by value) and to
/// every ordinary device function (by reference).
///
/// It tells the device where to put records: the reservation and
/// acknowledgement counters, the pages, and their sizes (D. S. Rieber, Characterization of GPU Communication, 2017,
/// section 5.2), and the number of the launch that the records belong to.
/// `queue.h` explains the protocol. The host fills it in when the kernel is
/// launched; user code only hands it on.
#ifndef CUPR_ABI_TRACE_ARGUMENT_H
#define CUPR_ABI_TRACE_ARGUMENT_H

#include <cstdint>

namespace cupr {
namespace abi {
struct Bin;
struct Link;
struct PageState;
/// The parameter space of a kernel (CUDA programming guide, "Kernel parameters").
enum : std::uint64_t { kMaxParameterBytes = 32764 };
} // namespace abi
/// A namespace that holds no function: argument-dependent lookup on a trace
/// argument must never find a candidate for the user's unqualified calls.
namespace argument {

struct Trace {
  /// Number of this launch in the process, from 1. 0: nothing is recorded, and
  /// no other member means anything.
  std::uint64_t launch;
  /// Device memory, `binMask + 1` elements: the reservation counters.
  abi::Bin *bins;
  /// Device memory, one per page: bytes committed (the acknowledgements).
  abi::PageState *states;
  /// `(binMask + 1) << (pagesPerBinLog2 + pageBytesLog2)` bytes, of device memory or of the host's.
  unsigned char *pages;
  /// Device memory.
  const abi::Link *link;
  std::uint32_t binMask;
  std::uint16_t pagesPerBinLog2;
  std::uint16_t pageBytesLog2;
  /// kTraceAwaitsLaunch in the argument that an augmented launch brings. When the runtime has filled it in: where the stages of a timed
  /// kernel's warps are (stage.h); 0: there are none.
  std::uint64_t mark;
  /// Which CTAs are recorded. Period 0: all. Else those whose linear number n (record_head.h) has
  /// ctaFirst <= n < ctaEnd and is divisible by the period.
  std::uint64_t ctaFirst;
  std::uint64_t ctaEnd;
  std::uint64_t ctaPeriod;
  /// Memory of the device that runs the kernel, `tallyWords` elements, 0 at first: what the launch notes beside its
  /// records, which knows nothing of the queue. With kTraceCounts, by site, how many accesses threads have made
  /// there, counted where a hook begins (CUPR_COUNT); of a launch whose accesses are derived, which blocks have begun
  /// (begun_blocks.h).
  unsigned long long *tally;
  std::uint32_t tallyWords; ///< 0: nothing is noted
  std::uint32_t special;    ///< of TraceSpecial: one test tells a hook that there is nothing of the kind
};

enum TraceSpecial : std::uint32_t {
  kTraceCounts = 1,   ///< accesses are counted
  kTraceDrops = 2,    ///< records that find their bin full are dropped (abi/queue.h, "Drop")
  kTraceNoValues = 4, ///< values are not recorded, accesses are
};

enum : std::uint64_t { kTraceAwaitsLaunch = 0x6863746977612043u };

static_assert(sizeof(Trace) == 96, "the pass and the runtime agree on the size");

} // namespace argument

using argument::Trace;

} // namespace cupr

#endif

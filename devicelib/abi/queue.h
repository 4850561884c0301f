/// The queue: how records leave a running kernel.
///
/// A channel is a ring of pages per bin; a warp uses the bin of its SM
/// (`smid & binMask`), so that few warps meet at one counter. Positions in a
/// bin are byte counts that only grow; position p lies in page
/// `(p >> pageBytesLog2) & (pagesPerBin - 1)` of the bin, and its generation is
/// `p >> pageBytesLog2`, the number of the page since the channel was made.
///
///     state of a page   moved there by
///     free              the host: freed[bin] passes the page's previous use
///     filling           the warp whose reservation starts the page; it writes the header
///     published         the warp whose commit completes the page
///     free again        the host, after it has read it
///
/// - Reserve: the leader of the active lanes adds the record's size to
///   `Bin::reserved`. If the record would cross the end of the page, both parts
///   are filled with Pad records, committed, and the leader tries again.
/// - Wait: a position may be written only while its end is at most freed + capacity.
///   The leader looks at `Bin::limit`, a copy in device memory, and reads the
///   host's `freed` only when the copy says "full".
/// - Commit: after the lanes have written, and a fence at GPU scope, the leader
///   adds the size to the page's entry of `commits`. Whoever brings it to the
///   page size sets it back to 0 and stores the generation + 1 to `published`,
///   with release at system scope; the host reads `published` with acquire. The
///   commit is per page, because commits arrive in any order: a sum over the
///   whole bin could not tell which pages are complete.
/// - Close: a kernel of one block, launched behind the user's in the same
///   stream, pads what is left of each open page, so that a page belongs to one
///   launch, and tells the host that the launch has ended (LaunchEnd).
#ifndef CUPR_ABI_QUEUE_H
#define CUPR_ABI_QUEUE_H

#include "record.h"

namespace cupr {
namespace abi {

/// Device memory; one cache line each, since different SMs count in different
/// bins.
struct alignas(128) Bin {
  unsigned long long reserved; ///< bytes ever reserved
  unsigned long long limit;    ///< positions below this may be written: freed +
                               ///< capacity, as last seen
  unsigned long long waits;    ///< times that a leader found the bin full
};

static_assert(sizeof(Bin) == 128, "one cache line");

/// The first word of each page.
struct PageHeader {
  std::uint64_t launch;
  std::uint32_t generation; ///< the low 32 bits of the page's number in its bin
  std::uint32_t bin;
};

static_assert(sizeof(PageHeader) == kWordBytes, "one word");

/// What the close kernel tells the host about a launch; lies in host memory, a
/// ring per channel. `sequence` is written last, with release at system scope.
struct LaunchEnd {
  std::uint64_t launch;
  std::uint64_t waits; ///< times that a warp waited for space, all bins, since
                       ///< the channel was made
  std::uint64_t reserved;
  std::uint64_t sequence; ///< of this entry, from 1
};

static_assert(sizeof(LaunchEnd) == 32, "");

} // namespace abi
} // namespace cupr

#endif

/// The queue: how records leave a running kernel. There is one per device, for all streams.
///
/// It is a ring of pages per bin; a warp uses the bin of its SM (`smid & binMask`), so that few warps meet at
/// one counter. Positions in a bin are byte counts that only grow; position p lies in page number
/// `p >> pageBytesLog2`, its generation, which has slot `generation & (pagesPerBin - 1)` of the bin. Kernels
/// that run at the same time share pages: a record says which launch made it (record_head.h).
///
///     state of a page   moved there by
///     free              the host: freed[bin] passes the page's previous use
///     filling           warps that reserve space in it
///     published         the warp whose commit completes the page
///     free again        the host, after it has copied it
///
/// - Reserve: the leader of the active lanes adds the record's size to `Bin::reserved`. If the record would
///   cross the end of the page, both parts are filled with Pad records, committed, and the leader tries
///   again.
/// - Wait: a position may be written only while its end is at most freed + capacity. The leader looks at
///   `Bin::limit`, a copy in device memory. When that says "full", one warp of the bin at a time
///   reads the host's count over the link; the others watch the copy.
/// - Commit: after the lanes have written, the leader adds the size to `PageState::committed`, with release
///   at GPU scope. Whoever brings it to the page size sets it back to 0 and publishes the page: it
///   stores its generation and length to `Link::published`, with release at system scope; the host reads that
///   with acquire. The commit is per page, because commits arrive in any order: a sum over the whole bin
///   could not tell which pages are complete.
/// - Close: a kernel of one block, launched behind the user's in the same stream, seals each bin's open page:
///   it reserves the rest of it as a pad. What the launch has recorded lies below the positions that it finds
///   then, and it tells the host those, beside a LaunchEnd. Records of other launches that lie in such a page
///   come along.
/// - Evict: where pages lie in device memory the host needs the driver to copy them out, and a driver call,
/// or the copy
///   itself, may have to wait for the very kernel that waits for a free page (a copy of the program's own in
///   the same hardware queue, a cudaFree that holds a lock). The host then asks for a page, by number, in
///   `HostBin::evict`; a warp that waits in that bin copies it to the bin's place in host memory and says so
///   in `Link::evicted`. So a page always finds a way out, whatever the driver does.
/// - Drop (CUPR_FULL=drop): whoever finds its bin full counts what it does not record, and goes on. A claim
///   can't be taken back, since others may have claimed behind it, so whether there is room is decided first:
///   the leader looks at `Bin::reserved` and at the limit, and takes its space by compare and exchange. It
///   drops a record only after it has seen the host's own count, and waits for nobody but a warp that
///   looks at that count at the time.
#ifndef CUPR_ABI_QUEUE_H
#define CUPR_ABI_QUEUE_H

#include "value_record.h"

namespace cupr {
namespace abi {

/// Device memory; one cache line each, since different SMs count in different bins.
struct alignas(128) Bin {
  unsigned long long reserved; ///< bytes ever reserved
  unsigned long long limit;    ///< positions below this may be written: freed + capacity, as last seen
  unsigned long long evicted;  ///< number + 1 of the last page that a warp has taken on to evict
  unsigned int polling;        ///< 1 while a warp looks at the host's counts
};

static_assert(sizeof(Bin) == 128, "one cache line");

/// Device memory, one per page.
struct PageState {
  std::uint32_t committed; ///< bytes
  std::uint32_t sealedAt;  ///< bytes in front of the pad that sealed the page; 0: it was not sealed
};

/// Host memory, one per bin; written by the host.
struct HostBin {
  unsigned long long freed; ///< bytes that the host has taken out, ever growing
  unsigned long long evict; ///< number + 1 of the page that the host asks for; 0: none yet
};

/// Where the device meets the host. Lies in device memory and never changes.
struct Link {
  unsigned long long *published; ///< host memory, one per page: see publication()
  HostBin *bins;                 ///< host memory
  unsigned char *evictions;      ///< host memory, one page per bin
  unsigned long long *evicted;   ///< host memory, one per bin: number + 1 of the page in its place
  /// Device memory, kWaitCounts elements: times that a warp found its bin full, by launch % kWaitCounts.
  unsigned long long *waits;
  /// Device memory, kLaunchTags elements: accesses of threads that were dropped, by launch % kLaunchTags;
  /// null where groups wait.
  unsigned long long *drops;
  /// Device memory, kWaitCounts elements: when block 0 of a launch began, by launch % kWaitCounts; 0: not yet.
  unsigned long long *begins;
  /// Host memory, one: set when more was committed to a page than it holds, which can't be. The host then
  /// records nothing any more, and lets everybody pass.
  unsigned long long *broken;
};

enum : std::uint32_t {
  kWaitCounts = 1024,
  /// A record must be smaller than a page, or there is no place for it.
  kSmallestPage = 4096,
  /// Bytes behind the last page: wherever in a page a record began, it would stay in our memory.
  kBehindPages = std::uint32_t{kMaxClaimWords} * kWordBytes,
};
static_assert(std::uint32_t{kMaxClaimWords} * kWordBytes < kSmallestPage, "");

/// What tells the host that a page may be read: its generation + 1 (32 bits) and its length in bytes.
constexpr std::uint64_t publication(std::uint64_t generation, std::uint32_t bytes) {
  return (generation + 1) << 32 | bytes;
}

/// What the close kernel tells the host about a launch; lies in host memory, a ring per queue, in the order
/// in which launches end. `ticket` is written last, with release at system scope.
struct LaunchEnd {
  unsigned long long launch;
  unsigned long long waits;  ///< times that a warp of the launch found its bin full
  unsigned long long drops;  ///< accesses of threads that were dropped
  unsigned long long began;  ///< %globaltimer when its block 0 began; 0: that is not known
  unsigned long long ended;  ///< %globaltimer when the close kernel began
  unsigned long long ticket; ///< number of this entry, from 1
};

} // namespace abi
} // namespace cupr

#endif

/// The device's side of the queue as one algorithm: reserve, wait, commit, close, evict (queue.h has the
/// protocol).
///
/// It runs in three places, which differ in what a memory operation is: on the GPU (device/queue.cuh), on the
/// threads of a host (a stress test), and in a model that tries every order of operations (test/model). So
/// each operation on shared memory is a call to a `Memory`:
///
///     u64 add(u64 *, u64), u32 add(u32 *, u32)         atomic, at device scope; returns what was there
///     bool replace(u64 *, u64 from, u64 to), (u32 *, ...)  atomic compare and exchange, device scope
///     void raise(u64 *, u64)                           atomic maximum, device scope
///     u64 load(const u64 *), u32 load(const u32 *)     relaxed, device scope
///     void store(u32 *, u32)                           relaxed, device scope
///     void fence()                                     acquire and release, device scope
///     u64 loadHost(const u64 *)                        acquire, system scope
///     void storeHost(u64 *, u64)                       release, system scope
///     void storeWord(unsigned char *, u32, u32, u32, u32)   16 bytes, not atomic
///     void copyWord(unsigned char *, const unsigned char *) 16 bytes, not atomic
///     void pause(u32 &time)                            lets others go on, longer each time; sets it above 0
#ifndef CUPR_ABI_BIN_WRITER_H
#define CUPR_ABI_BIN_WRITER_H

#include "queue.h"
#include "trace_argument.h"

#ifdef __CUDA__
#define CUPR_QUEUE_FUNCTION __device__ __attribute__((always_inline)) inline
#else
#define CUPR_QUEUE_FUNCTION inline
#endif

namespace cupr {
namespace abi {

/// One bin, as seen by one lane: the leader of a group of lanes that are active together, or a thread of the
/// close kernel. Either a whole group has its space or the whole group waits (seed 001, section 5.4.1), or
/// drops its records.
template <typename Memory> class BinWriter {
public:
  using u32 = unsigned int;
  using u64 = unsigned long long;

  CUPR_QUEUE_FUNCTION BinWriter(const Trace &trace, u32 bin, Memory memory = Memory())
      : trace_(trace), bin_(bin), memory_(memory) {}

  CUPR_QUEUE_FUNCTION u32 pageBytes() const { return 1u << trace_.pageBytesLog2; }
  CUPR_QUEUE_FUNCTION u64 generation(u64 position) const { return position >> trace_.pageBytesLog2; }
  CUPR_QUEUE_FUNCTION unsigned char *address(u64 position) const {
    return trace_.pages + (static_cast<u64>(slot(position)) << trace_.pageBytesLog2) + inPage(position);
  }

  /// Adds `bytes` (a multiple of 16, at most kMaxRecordWords words) to the bin.
  CUPR_QUEUE_FUNCTION u64 claim(u32 bytes) { return memory_.add(&bin().reserved, static_cast<u64>(bytes)); }

  /// Whether `bytes` at a claimed position lie in one page and may be written now.
  CUPR_QUEUE_FUNCTION bool isReady(u64 position, u32 bytes) {
    return inPage(position) + bytes <= pageBytes() && position + bytes <= memory_.load(&bin().limit);
  }

  /// Makes a claimed position ready: waits until it is free, and if it can't hold the record fills it with
  /// pads and claims another. One loop with one of each operation, since it stands in every hook.
  CUPR_QUEUE_FUNCTION u64 makeReady(u64 position, u32 bytes) {
    u32 owed = 0; // of a claim that a page's end cuts: what is to be padded behind it
    while (true) {
      const u32 left = pageBytes() - inPage(position);
      const bool fits = !owed && bytes <= left;
      const u32 part = fits ? bytes : owed ? owed : left;
      waitUntilFree(position + part);
      if (fits)
        return position;
      pad(position, part);
      commit(position, part);
      if (owed) {
        owed = 0;
        position = claim(bytes);
      } else {
        owed = bytes - left;
        position += left;
      }
    }
  }

  /// Instead of `claim` and `makeReady` where groups don't wait: claims a position that is ready. False: the
  /// bin is full, and `accesses` have been counted as dropped.
  CUPR_QUEUE_FUNCTION bool claimOrDrop(u32 bytes, u32 accesses, u64 &position) {
    for (u32 time = 0;;) {
      position = memory_.load(&bin().reserved);
      const u32 left = pageBytes() - inPage(position);
      const u32 part = bytes < left ? bytes : left;
      if (position + part > memory_.load(&bin().limit)) {
        const HostSays answer = askHost(position + part, WhenFull::Drop);
        if (answer == HostSays::Full) {
          memory_.add(&trace_.link->drops[trace_.launch % kLaunchTags], static_cast<u64>(accesses));
          return false;
        }
        if (answer == HostSays::Nothing)
          memory_.pause(time);
      } else if (memory_.replace(&bin().reserved, position, position + part)) {
        if (part == bytes)
          return true;
        pad(position, part);
        commit(position, part);
      }
    }
  }

  /// Adds to the page's committed bytes what the calling lane, or lanes that it has synchronised with, have
  /// written there. The fence orders those writes before the count; whoever completes the page publishes it,
  /// and the counts that it has seen, with its release, carry all lanes' writes to the host.
  CUPR_QUEUE_FUNCTION void commit(u64 position, u32 bytes) {
    PageState &state = trace_.states[slot(position)];
    memory_.fence();
    if (memory_.add(&state.committed, bytes) + bytes != pageBytes())
      return;
    memory_.fence();
    // Nobody counts here again before the host has freed the page.
    const u32 sealedAt = memory_.load(&state.sealedAt);
    memory_.store(&state.committed, 0u);
    memory_.store(&state.sealedAt, 0u);
    memory_.storeHost(&trace_.link->published[slot(position)],
                      publication(generation(position), sealedAt ? sealedAt : pageBytes()));
  }

  /// Seals the open page, if there is one. Returns the position below which everything that was reserved
  /// before lies.
  CUPR_QUEUE_FUNCTION u64 seal() {
    while (true) {
      const u64 position = memory_.load(&bin().reserved);
      if (inPage(position) == 0)
        return position;
      const u32 left = pageBytes() - inPage(position);
      if (!memory_.replace(&bin().reserved, position, position + left))
        continue;
      waitUntilFree(position + left);
      memory_.store(&trace_.states[slot(position)].sealedAt, inPage(position));
      pad(position, left);
      commit(position, left);
      return position + left;
    }
  }

private:
  CUPR_QUEUE_FUNCTION Bin &bin() const { return trace_.bins[bin_]; }
  CUPR_QUEUE_FUNCTION u32 inPage(u64 position) const {
    return static_cast<u32>(position) & (pageBytes() - 1u);
  }
  CUPR_QUEUE_FUNCTION u32 slot(u64 position) const {
    return (bin_ << trace_.pagesPerBinLog2) +
           (static_cast<u32>(generation(position)) & ((1u << trace_.pagesPerBinLog2) - 1u));
  }

  /// Fills `bytes` from `position` on, in one page, with a pad.
  CUPR_QUEUE_FUNCTION void pad(u64 position, u32 bytes) {
    memory_.storeWord(address(position), static_cast<u32>(RecordForm::Pad) << kSiteBits, bytes / kWordBytes,
                      0u, 0u);
  }

  CUPR_QUEUE_FUNCTION void waitUntilFree(u64 end) {
    if (end <= memory_.load(&bin().limit))
      return;
    for (u32 time = 0; askHost(end, WhenFull::Wait) != HostSays::Free;) {
      if (time == 0)
        memory_.add(&trace_.link->waits[trace_.launch % kWaitCounts], 1ull);
      memory_.pause(time);
      if (end <= memory_.load(&bin().limit))
        break;
    }
    memory_.fence(); // what is written next comes behind the host's reading
  }

  enum class WhenFull { Wait, Drop };
  enum class HostSays { Free, Full, Nothing }; ///< nothing: another warp of the bin asks

  /// Looks at the host's count unless another warp of the bin does so. Who waits then helps the host out.
  CUPR_QUEUE_FUNCTION HostSays askHost(u64 end, WhenFull whenFull) {
    if (!memory_.replace(&bin().polling, 0u, 1u))
      return HostSays::Nothing;
    const HostBin &host = trace_.link->bins[bin_];
    const u64 limit =
        memory_.loadHost(&host.freed) + (static_cast<u64>(pageBytes()) << trace_.pagesPerBinLog2);
    memory_.fence();
    memory_.raise(&bin().limit, limit);
    if (limit < end && whenFull == WhenFull::Wait)
      evict(memory_.loadHost(&host.evict));
    memory_.store(&bin().polling, 0u);
    return limit >= end ? HostSays::Free : HostSays::Full;
  }

  /// Copies the page with number `wanted` - 1 to the bin's place in host memory, unless that has been done.
  /// While the host has not taken a page its slot stays as it is, so it is whole; if it has, nobody looks at
  /// the copy.
  CUPR_QUEUE_FUNCTION void evict(u64 wanted) {
    if (wanted <= memory_.load(&bin().evicted))
      return;
    // The polling lock is held: nobody else is here.
    const unsigned char *const page = address((wanted - 1) << trace_.pageBytesLog2);
    unsigned char *const place = trace_.link->evictions + (static_cast<u64>(bin_) << trace_.pageBytesLog2);
    memory_.fence();
    for (u32 at = 0; at < pageBytes(); at += kWordBytes)
      memory_.copyWord(place + at, page + at);
    memory_.raise(&bin().evicted, wanted);
    memory_.storeHost(&trace_.link->evicted[bin_], wanted);
  }

  const Trace &trace_;
  u32 bin_;
  Memory memory_;
};

} // namespace abi
} // namespace cupr

#endif

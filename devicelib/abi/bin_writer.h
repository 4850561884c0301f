/// The device's side of the queue as one algorithm: reserve, wait, commit, close, evict (queue.h has the
/// protocol).
///
/// It runs in three places, which differ in what a memory operation is: on the GPU (device/queue.cuh), on the
/// threads of a host (a stress test), and in a model that tries every order of operations (test/model). So
/// each operation on shared memory is a call to a `Memory`:
///
///     u64 add(u64 *, u64)                              atomic, at device scope; returns what was there
///     u32 addBehind(u32 *, u32)                        the same, with release: what was written comes first
///     bool replace(u64 *, u64 from, u64 to), (u32 *, ...)  atomic compare and exchange, device scope
///     void raise(u64 *, u64)                           atomic maximum, device scope
///     u64 load(const u64 *), u32 load(const u32 *)     relaxed, device scope
///     void store(u32 *, u32)                           relaxed, device scope
///     void fence()                                     acquire and release, device scope
///     u64 loadHost(const u64 *)                        acquire, system scope
///     void storeHost(u64 *, u64)                       release, system scope
///     void storeWord(unsigned char *, u32, u32, u32, u32)   16 bytes, not atomic
///     void copyWord(unsigned char *, const unsigned char *) 16 bytes, not atomic
///     void pause(u32 &time)                            takes a while, longer each time; sets it above 0
///
/// Lanes that make a record together wait together (docs/design/0009-lanes-that-wait-stay-together.md): every
/// loop here is run by all of them, with the same outcome of every condition, and what the leader does alone
/// has no loop. Who they are is a `Lanes`:
///
///     bool isLeader()              of one of them
///     T fromLeader(T)              the leader's value, in all of them, which meet there
///     u32 rank(), u32 count()      the lane's place among them, and how many there are
///     void meet()                  what they have written, the leader's next writes come behind
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

/// Writes the word of a record that holds these values.
template <typename Memory>
CUPR_QUEUE_FUNCTION void store(const Memory &memory, unsigned char *at, const FirstWord &word) {
  memory.storeWord(at, word.siteAndForm, word.lanes, static_cast<std::uint32_t>(word.place),
                   static_cast<std::uint32_t>(word.place >> 32));
}
template <typename Memory>
CUPR_QUEUE_FUNCTION void store(const Memory &memory, unsigned char *at, const RecordHead &head) {
  store(memory, at, FirstWord{head.siteAndForm, head.laneMask, head.cta});
  memory.storeWord(at + kWordBytes, static_cast<std::uint32_t>(head.base),
                   static_cast<std::uint32_t>(head.base >> 32), head.shape, head.where);
}

/// A lane that waits for itself: a thread of the close kernel, or of a host.
struct OneLane {
  CUPR_QUEUE_FUNCTION bool isLeader() const { return true; }
  template <typename T> CUPR_QUEUE_FUNCTION T fromLeader(T value) const { return value; }
  CUPR_QUEUE_FUNCTION unsigned int rank() const { return 0; }
  CUPR_QUEUE_FUNCTION unsigned int count() const { return 1; }
  CUPR_QUEUE_FUNCTION void meet() const {}
};

/// One bin, as seen by the lanes that make a record together, or by a thread of the close kernel. Either a
/// whole group has its space or the whole group waits, or drops its records.
template <typename Memory> class BinWriter {
public:
  using u32 = unsigned int;
  using u64 = unsigned long long;

  CUPR_QUEUE_FUNCTION BinWriter(const Trace &trace, u32 bin, Memory memory = Memory())
      : trace_(trace), bin_(bin), memory_(memory) {}

  CUPR_QUEUE_FUNCTION u32 pageBytes() const { return 1u << trace_.pageBytesLog2; }
  CUPR_QUEUE_FUNCTION u64 generation(u64 position) const { return position >> trace_.pageBytesLog2; }
  /// Whatever the position, a word of the bin's pages.
  CUPR_QUEUE_FUNCTION unsigned char *address(u64 position) const {
    return trace_.pages + (static_cast<u64>(slot(position)) << trace_.pageBytesLog2) + inPage(position);
  }

  // The leader's.

  /// Adds `bytes` (a multiple of 16, at most kMaxClaimWords words) to the bin.
  CUPR_QUEUE_FUNCTION u64 claim(u32 bytes) { return memory_.add(&bin().reserved, static_cast<u64>(bytes)); }

  /// Whether `bytes` at a claimed position lie in one page and may be written now.
  CUPR_QUEUE_FUNCTION bool isReady(u64 position, u32 bytes) { return isReady(position, bytes, limit()); }
  /// `limit`: what limit() has been; it only grows.
  CUPR_QUEUE_FUNCTION bool isReady(u64 position, u32 bytes, u64 limit) const {
    return inPage(position) + bytes <= pageBytes() && position + bytes <= limit;
  }
  /// The position up to which the bin's pages are free.
  CUPR_QUEUE_FUNCTION u64 limit() const { return memory_.load(&bin().limit); }

  /// Adds to the page's committed bytes what the calling lane, or lanes that it has synchronised with, have
  /// written there. The release orders those writes before the count; whoever completes the page publishes
  /// it, and the counts that it has seen, with its release, carry all lanes' writes to the host.
  CUPR_QUEUE_FUNCTION void commit(u64 position, u32 bytes) {
    PageState &state = trace_.states[slot(position)];
    const u32 committed = memory_.addBehind(&state.committed, bytes) + bytes;
    if (committed < pageBytes())
      return;
    if (committed > pageBytes()) {
      memory_.storeHost(trace_.link->broken, 1);
      return;
    }
    memory_.fence();
    // Nobody counts here again before the host has freed the page.
    const u32 sealedAt = memory_.load(&state.sealedAt);
    memory_.store(&state.committed, 0u);
    memory_.store(&state.sealedAt, 0u);
    memory_.storeHost(&trace_.link->published[slot(position)],
                      publication(generation(position), sealedAt ? sealedAt : pageBytes()));
  }

  // All lanes'.

  /// Makes a position that the leader has claimed ready: waits until it is free, and if it can't hold the
  /// record fills it with pads and claims another.
  template <typename Lanes> CUPR_QUEUE_FUNCTION u64 makeReady(const Lanes &lanes, u64 position, u32 bytes) {
    position = lanes.fromLeader(position);
    u32 owed = 0; // of a claim that a page's end cuts: what is to be padded behind it
    while (true) {
      const u32 left = pageBytes() - inPage(position);
      const bool fits = !owed && bytes <= left;
      const u32 part = fits ? bytes : owed ? owed : left;
      waitUntilFree(lanes, position + part);
      if (fits)
        return position;
      u64 next = position + left;
      if (lanes.isLeader()) {
        pad(position, part);
        commit(position, part);
        if (owed)
          next = claim(bytes);
      }
      owed = owed ? 0 : bytes - left;
      position = lanes.fromLeader(next);
    }
  }

  /// Instead of `claim` and `makeReady` where groups don't wait: claims a position that is ready. False: the
  /// bin is full, and `accesses` have been counted as dropped.
  template <typename Lanes>
  CUPR_QUEUE_FUNCTION bool claimOrDrop(const Lanes &lanes, u32 bytes, u32 accesses, u64 &position) {
    for (u32 time = 0;;) {
      Answer answer = Answer::Full;
      if (lanes.isLeader())
        answer = tryClaim(bytes, accesses, position);
      answer = lanes.fromLeader(answer);
      if (answer == Answer::Free || answer == Answer::Full)
        return answer == Answer::Free;
      if (answer == Answer::Nothing)
        memory_.pause(time);
    }
  }

  /// Seals the open page, if there is one. Returns the position below which everything that was reserved
  /// before lies. By one lane.
  CUPR_QUEUE_FUNCTION u64 seal() {
    while (true) {
      const u64 position = memory_.load(&bin().reserved);
      if (inPage(position) == 0)
        return position;
      const u32 left = pageBytes() - inPage(position);
      if (!memory_.replace(&bin().reserved, position, position + left))
        continue;
      waitUntilFree(OneLane(), position + left);
      memory_.store(&trace_.states[slot(position)].sealedAt, inPage(position));
      pad(position, left);
      commit(position, left);
      return position + left;
    }
  }

private:
  CUPR_QUEUE_FUNCTION Bin &bin() const { return trace_.bins[bin_]; }
  /// Positions are multiples of a word: a position that were none could not make the program fault.
  CUPR_QUEUE_FUNCTION u32 inPage(u64 position) const {
    return static_cast<u32>(position) & (pageBytes() - kWordBytes);
  }
  CUPR_QUEUE_FUNCTION u32 slot(u64 position) const {
    return (bin_ << trace_.pagesPerBinLog2) +
           (static_cast<u32>(generation(position)) & ((1u << trace_.pagesPerBinLog2) - 1u));
  }

  /// Fills `bytes` from `position` on, in one page, with a pad.
  CUPR_QUEUE_FUNCTION void pad(u64 position, u32 bytes) {
    store(memory_, address(position), padRecord(bytes / kWordBytes));
  }

  enum class Answer : u32 {
    Free,
    Full,
    Nothing, ///< another warp of the bin asks
    Wanted,  ///< full, the host asks for a page that nobody has brought yet, and the bin is locked
    Again,   ///< what was seen is out of date
  };

  /// Waits until what lies below `end` may be written.
  template <typename Lanes> CUPR_QUEUE_FUNCTION void waitUntilFree(const Lanes &lanes, u64 end) {
    for (u32 time = 0;;) {
      Answer answer = Answer::Free;
      if (lanes.isLeader() && end > memory_.load(&bin().limit)) {
        answer = askHost(end, WhenFull::Wait);
        if (time == 0 && answer != Answer::Free)
          memory_.add(&trace_.link->waits[trace_.launch % kWaitCounts], 1ull);
      }
      answer = lanes.fromLeader(answer);
      if (answer == Answer::Free)
        break;
      if (answer == Answer::Wanted)
        evict(lanes);
      memory_.pause(time);
    }
    memory_.fence(); // what is written next comes behind the host's reading
  }

  /// The leader tries to claim a position that is ready. Full: `accesses` have been counted as dropped.
  CUPR_QUEUE_FUNCTION Answer tryClaim(u32 bytes, u32 accesses, u64 &position) {
    position = memory_.load(&bin().reserved);
    const u32 left = pageBytes() - inPage(position);
    const u32 part = bytes < left ? bytes : left;
    if (position + part > memory_.load(&bin().limit)) {
      const Answer answer = askHost(position + part, WhenFull::Drop);
      if (answer == Answer::Full)
        memory_.add(&trace_.link->drops[trace_.launch % kLaunchTags], static_cast<u64>(accesses));
      return answer == Answer::Free ? Answer::Again : answer;
    }
    if (!memory_.replace(&bin().reserved, position, position + part))
      return Answer::Again;
    if (part == bytes)
      return Answer::Free;
    pad(position, part);
    commit(position, part);
    return Answer::Again;
  }

  enum class WhenFull { Wait, Drop };

  /// The leader looks at the host's count, unless another warp of the bin does so. Who waits then helps the
  /// host out.
  CUPR_QUEUE_FUNCTION Answer askHost(u64 end, WhenFull whenFull) {
    if (!memory_.replace(&bin().polling, 0u, 1u))
      return Answer::Nothing;
    const HostBin &host = trace_.link->bins[bin_];
    const u64 limit =
        memory_.loadHost(&host.freed) + (static_cast<u64>(pageBytes()) << trace_.pagesPerBinLog2);
    memory_.fence();
    memory_.raise(&bin().limit, limit);
    if (limit < end && whenFull == WhenFull::Wait &&
        memory_.loadHost(&host.evict) > memory_.load(&bin().evicted))
      return Answer::Wanted;
    memory_.store(&bin().polling, 0u);
    return limit >= end ? Answer::Free : Answer::Full;
  }

  /// Copies the page that the host asks for to the bin's place in host memory, all lanes together, and
  /// unlocks the bin. While the host has not taken a page its slot stays as it is, so it is whole; if it has,
  /// nobody looks at the copy. The host asks for no other page before this one is there.
  template <typename Lanes> CUPR_QUEUE_FUNCTION void evict(const Lanes &lanes) {
    const u64 wanted = memory_.loadHost(&trace_.link->bins[bin_].evict);
    const unsigned char *const page = address((wanted - 1) << trace_.pageBytesLog2);
    unsigned char *const place = trace_.link->evictions + (static_cast<u64>(bin_) << trace_.pageBytesLog2);
    memory_.fence();
    const u32 step = lanes.count() * kWordBytes, mine = lanes.rank() * kWordBytes;
    for (u32 at = 0; at < pageBytes(); at += step) {
      const u32 word = at + mine < pageBytes() ? at + mine : at; // the last words may be copied twice
      memory_.copyWord(place + word, page + word);
    }
    lanes.meet();
    if (lanes.isLeader()) {
      memory_.raise(&bin().evicted, wanted);
      memory_.storeHost(&trace_.link->evicted[bin_], wanted);
      memory_.store(&bin().polling, 0u);
    }
  }

  const Trace &trace_;
  u32 bin_;
  Memory memory_;
};

} // namespace abi
} // namespace cupr

#endif

/// The queue of one device (abi/queue.h), for the launches of all its streams, with the threads that empty
/// it.
///
/// Threads: one moves pages (PageSource), one keeps watch: it ends launches, and helps out when moving is
/// stuck; and several hand pages to the writer (PageParser). All sleep while no launch is open, and the first one while none is
/// that records its accesses.
#ifndef CUPR_RUNTIME_DEVICE_QUEUE_H
#define CUPR_RUNTIME_DEVICE_QUEUE_H

#include "hostlib/runtime/driver/device_clock.h"
#include "hostlib/runtime/snapshots/device_snapshots.h"
#include "hostlib/runtime/snapshots/snapshot_store.h"
#include "hostlib/trace/writer.h"
#include "launch_tallies.h"
#include "page_parser.h"
#include "page_source.h"
#include "queue_memory.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace cupr::host {

/// Any thread may call any member.
class DeviceQueue {
public:
  /// Makes a queue in the current context. Returns null, and why, when there is not enough
  /// memory. All that is given must live as long as the queue.
  static std::unique_ptr<DeviceQueue> create(const Driver &driver, const Settings &settings,
                                             trace::Writer &writer, SnapshotStore &snapshots,
                                             std::function<std::uint64_t()> clock, std::string &reason);
  ~DeviceQueue();

  struct Outcome {
    std::string reason; ///< why nothing is recorded; empty: all is well
    bool recordsLost;   ///< the kernel runs all the same
  };
  /// What a launch notes beside its records (Trace::tally); by default nothing.
  struct Tally {
    LaunchTallies::Array array;
    unsigned words = 0;                     ///< 0: nothing is noted
    std::optional<std::uint32_t> blockSite; ///< nothing: accesses are counted, by site
    std::vector<std::uint32_t> placeSites;  ///< of shared variables whose places are noted behind the blocks
    DeviceSnapshots::Pending memory;        ///< that the launch's slice looks up; none: it looks up nothing
    /// While the launch runs, the host has nothing to do for it.
    bool needsNobody() const { return blockSite && !memory; }
  };
  /// For a launch whose accesses are counted, of a module with so many sites; 0: they are not. Notes nothing, and says so
  /// once, when there is no memory.
  Tally tallyOfSites(unsigned sites);
  /// For a launch of so many blocks whose accesses are derived; the records of its blocks are made at that site, those of shared variables at
  /// `placeSites`. The same.
  /// `memory`: what its slice looks up, which is looked at in the stream from now on, in front of the launch. Notes nothing, too, where
  /// that might keep another launch waiting for ever.
  Tally tallyOfBlocks(std::uint64_t blocks, std::uint32_t blockSite, CUstream stream,
                      std::span<const MemoryRegion> memory,
                      const std::vector<std::uint32_t> &placeSites = {});

  /// Launches a kernel and, behind it, the close kernel. `launchKernel` gets the trace argument for
  /// this launch.
  void launch(CUstream stream, trace::LaunchId id, const std::string &kernel, const Tally &tally,
              const std::function<Outcome(const Trace &)> &launchKernel);
  /// The same in two steps, for launches that the caller makes together: what goes before it, and what comes
  /// behind it.
  class Prepared;
  Prepared prepare(CUstream stream, trace::LaunchId id, const std::string &kernel, const Tally &tally);
  void launched(CUstream stream, Prepared &prepared, Outcome outcome);

  /// Waits until every launch so far has ended and its records have been handed to the writer, or the GPU has
  /// failed.
  void flush();
  /// Whether a launch has not ended.
  bool isBusy();
  /// Flushes and stops the threads. Launches that did not end are closed as
  /// incomplete with the reason. Idempotent.
  void finish();

private:
  struct Open {
    trace::LaunchId id{};
    std::string kernel;
    Tally tally;
    CUstream stream = nullptr;
    bool isMemorySeen = true;       ///< also behind the kernel
    bool hasEnd = false;            ///< its close kernel has run
    std::optional<Outcome> outcome; ///< of a kernel that was not launched, though its memory is looked at
    bool leavesPages() const { return !tally.blockSite; }
  };
  /// Added to a launch's number in the close kernel that does not wait for its kernel.
  static constexpr std::uint64_t kCutOffBit = std::uint64_t{1} << 63;
  static_assert(kCutOffBit % abi::kWaitCounts == 0 && kCutOffBit % abi::kLaunchTags == 0,
                "its counters are the same");
  /// A launch whose close kernel has run: it is over when what lies below these positions has been parsed.
  struct Ending {
    trace::LaunchEnd end;
    std::vector<std::uint64_t> positions;
    unsigned bin = 0;         ///< those before it have been parsed that far
    std::uint64_t pieces = 0; ///< of memory, which had arrived by then
    bool isCutOff = false;    ///< its kernel runs on, and may record more
  };

  DeviceQueue(const Driver &driver, trace::Writer &writer, SnapshotStore &snapshots,
              std::function<std::uint64_t()> clock);
  void start(const Settings &settings);
  void open(Open launch);
  /// With the lock.
  std::optional<Open> takeOpen(trace::LaunchId id);
  bool staysOpen(CUstream stream, const Prepared &prepared, const Outcome &outcome);
  void seeMemory(CUstream stream, const Prepared &prepared);
  CUresult launchClose(CUstream stream, Trace argument, unsigned long long *noted);
  CUresult launchCloseIn(CUstream stream, Trace argument, unsigned long long *noted);
  Trace argumentOf(trace::LaunchId id, const Tally &tally) const;
  Tally takeTally(std::uint64_t words);
  Open openLaunch(trace::LaunchId id);
  bool mayBeWaitedFor(CUstream stream);
  std::optional<std::vector<trace::SiteCount>> countsOf(trace::LaunchId id);
  void writeBlocks(trace::LaunchId id, const Tally &tally);
  void nameSnapshots(trace::LaunchEnd &end, const Open &launch);
  void takePiece(const PieceDigest &digest, const void *bytes, std::size_t size);
  bool takePieces();
  bool areStored(std::uint64_t pieces);
  /// `isOver`: the device is done with the launch, or has not begun it.
  void close(trace::LaunchEnd end, bool isOver);
  void movePages();
  void keepWatch();
  bool takeEnds();
  void takeEnd(Ending ending);
  void awaitLaunches();
  void cutOff();
  bool endLaunches();
  void endLaunch(const trace::LaunchEnd &end);
  void abandonOpenLaunches();
  /// Says once which launches have brought nothing for a while.
  void warnIfStuck(bool isMoving);
  /// Waits until a launch is open, or only until one is that leaves pages to move; false: the queue stops.
  bool waitForWork();
  bool waitForPages();

  const Driver &driver_;
  trace::Writer &writer_;
  const std::function<std::uint64_t()> clock_;
  CUcontext context_ = nullptr;
  QueueMemory memory_;
  LaunchTallies tallies_;
  SnapshotStore &snapshots_;
  DeviceSnapshots memorySeen_;
  CUfunction close_ = nullptr;
  CUstream closeStream_ = nullptr, cutOffStream_ = nullptr;
  std::mutex closeMutex_; ///< guards the event
  CUevent kernelDone_ = nullptr;

  std::unique_ptr<PageParser> parser_;
  std::unique_ptr<PageSource> source_;
  std::thread mover_, keeper_;
  std::vector<std::atomic<std::uint64_t>> parsed_; ///< per bin: the position below which all has been parsed
  std::atomic<std::uint64_t> newest_{0};           ///< the highest number of a launch so far
  std::atomic<std::uint64_t> handedOn_{0}, handled_{0}; ///< jobs given to the parser, and done

  // The keeper's.
  std::chrono::seconds patience_{};
  std::chrono::steady_clock::time_point lastMove_;
  std::uint64_t lastProgress_ = 0;
  bool hasWarned_ = false;
  std::uint64_t ended_ = 0;
  std::list<Ending> endings_, cutOff_; ///< the latter until all of them are there
  std::uint64_t pieces_ = 0;           ///< of memory, that have arrived
  DeviceClock deviceClock_;

  std::mutex piecesMutex_;               ///< guards what follows
  std::set<std::uint64_t> piecesInWork_; ///< numbers of those that have arrived and are not with the store

  std::mutex mutex_; ///< guards what follows
  std::condition_variable changed_;
  std::condition_variable recording_; ///< like changed_, for the thread that moves pages
  std::map<trace::LaunchId, Open> open_;
  std::size_t recorded_ = 0; ///< of them: those that leave pages to move
  bool stopping_ = false;
  std::size_t toCutOff_ = 0; ///< launches whose kernels run, when it has been given up to wait for them
};

/// What a launch is made with. Those that need nothing of the host while they run are opened when they have been made.
class DeviceQueue::Prepared {
public:
  Trace argument;

private:
  friend DeviceQueue;
  unsigned long long *noted_ = nullptr; ///< where the close kernel leaves what was noted
  DeviceSnapshots::Pending memory_;     ///< that is looked at; none: nothing is
  std::optional<Open> unopened_;
};

} // namespace cupr::host

#endif

/// One part of memory, followed through all acts of the trace: who accesses it without order, and who reads what nobody has written.
///
/// Each cell keeps who wrote it last in the present launch, up to two who did so by atomic accesses, and up to two who have read it since. That is enough to find that a cell is
/// raced for, if not each access that does: of two readers that know nothing of each other at least one is not the thread that
/// writes, and readers of two blocks stay rather than two of one, or of two warps. What is accessed in the present launch is dropped when it ends; what
/// stays is which bytes have been written and, of acts that may overlap others, who accessed them last.
#ifndef CUPR_ANALYSIS_MEMORY_SHARD_H
#define CUPR_ANALYSIS_MEMORY_SHARD_H

#include "check_shards.h"
#include "fault_list.h"
#include "host_meetings.h"
#include "launch_order.h"
#include "local_arrays.h"
#include "memory_page.h"
#include "page_ranges.h"
#include "site_traits.h"
#include "unwritten_fetches.h"

#include "analysis/engine/ranges.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cupr::analysis {

/// A launch while its records come. Shards read it; only its order changes, and not while they work.
struct CheckedLaunch {
  LaunchIndex index = kHost;
  Act act = kNoAct;
  const ModuleTraits *module = nullptr;
  std::unique_ptr<LaunchOrder> order;
  std::array<std::unique_ptr<LocalArrays>, kOrderParts>
      arrays;             ///< in local memory; of which anything is known
  bool inThreads = false; ///< whether what threads do to these can be told
  bool inBlocks = false;  ///< whether races inside blocks can be told
  bool inWarps = false;   ///< whether it can be told which lanes of a warp come together
  bool betweenBlocks = false;
  bool mayOverlap = false;    ///< others may run beside it
  bool mayMeetHost = false;   ///< code of the host may access memory while it runs
  bool hasAllBlocks = false;  ///< all are recorded, so that it is known what any of them waits for
  bool sharedIsKnown = false; ///< all that is in shared memory was written by what the trace holds
  bool areInTurn =
      false; ///< blocks come one after the other: what is behind all of a block's records is behind the block
};

/// What code of the host accesses.
struct HostStep {
  const trace::HostAccess &access;
  std::size_t number;  ///< index among the host's
  std::uint32_t place; ///< in the code: the first of the host's accesses that is made there
  Range range;         ///< from the first to the last byte
  std::uint64_t end;   ///< of the allocation that it begins in
};

/// What a shard has had to leave out.
struct CheckGaps {
  /// That were accessed again when who had accessed them in the launch so far had been dropped, since there was no room.
  std::uint64_t pages = 0;
  std::uint64_t pairs = 0; ///< of accesses of different blocks, for the same reason
  std::uint64_t reads = 0; ///< of what nobody had written by then
  void add(const CheckGaps &other) {
    pages += other.pages;
    pairs += other.pairs;
    reads += other.reads;
  }
};

class MemoryShard {
public:
  /// All outlive it. `ofBoth`: pages with memory that host and device both reach. It keeps at most so many bytes of what launches access.
  MemoryShard(std::size_t number, const Ordering &ordering, const std::vector<const ModuleTraits *> &modules,
              const std::vector<LaunchIndex> &kernels, const PageRanges &ofBoth, std::uint64_t mostBytes);

  /// From now on records are of this launch.
  void begin(const CheckedLaunch &launch) { launch_ = &launch; }
  /// What these lanes of a step do in the page with this number; in shared memory, what they do in that of their block (sharedPage()).
  void access(const ChunkSteps &chunk, const WarpStep &step, std::uint32_t lanes, std::uint64_t page);
  /// Asks for the memory that access() will need for the same: of scattered accesses each would have to be waited for.
  void expect(const ChunkSteps &chunk, const WarpStep &step, std::uint32_t lanes, std::uint64_t page);
  void end();
  /// Around the steps of each batch.
  void beginBatch() { ++batch_; }
  /// Behind the steps of a chunk, the last one of which is of this block.
  void endChunk(std::uint32_t block) { lastBlock_ = block; }
  void endBatch();
  /// The host does that, in `act`. Of ranges this shard takes what lies in its pages.
  void hostReads(Act act, bool mayOverlap, const Range &range);
  void hostWrites(Act act, bool mayOverlap, const Range &range);
  /// A copy to the host of what holds nothing but what launches, copies and sets have written (MemoryLifetimes::isBlank()).
  void hostFetches(Act act, const Range &range);
  void forget(const Range &range);
  /// Code of the host does that, between two acts.
  void hostAccesses(const HostStep &step);
  /// Nothing that comes meets what was so far. Not inside a launch.
  void forgetPast();

  /// In a page's number: nobody writes to it in the launch, so only whether it was written before is looked at.
  static constexpr std::uint64_t kOnlyRead = std::uint64_t{1} << 62;
  static std::uint64_t sharedPage(std::uint32_t block, std::uint64_t offset) {
    return kShared | std::uint64_t{block} << 20 | offset >> kCheckPageShift;
  }
  /// Of a page. All of a block's shared memory is in one: a warp accesses many of its pages at a time.
  static std::size_t shardOf(std::uint64_t page) {
    return checkShardOf((page & kShared) != 0 ? page & ~kSharedOffsets : page);
  }
  static std::uint32_t blockOf(std::uint64_t sharedPage) {
    return static_cast<std::uint32_t>((sharedPage & ~kShared) >> 20);
  }

  FaultList &faults() { return faults_; }
  HostMeetings &hostMeetings() { return host_; }
  UnwrittenFetches &unwrittenFetches() { return fetches_; }
  const CheckGaps &gaps() const { return gaps_; }

private:
  static constexpr std::uint64_t kShared = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kSharedOffsets =
      (std::uint64_t{1} << 20) - 1; ///< of a page of shared memory
  /// Two accesses that may turn out to be ordered when all of the launch is known.
  struct Pending {
    Moment first, second;
    std::uint64_t address;
    std::uint32_t bytes;
    RaceCause cause;
    std::uint64_t count;
  };
  struct Unwritten {
    std::uint64_t address;
    std::uint32_t bytes;
    Moment who;
    std::uint64_t count;
  };
  struct Access {
    const ChunkSteps *chunk;
    const WarpStep *step;
    const SiteTraits *site;
    const Knowledge *knowledge;
    std::uint64_t address; ///< of the lane
    std::uint32_t bytes;
    Moment who;
  };

  /// Of a page; the first of the lanes that access it, each its part.
  struct Sector {
    std::uint8_t number, lane;
  };
  struct Sectors {
    std::array<Sector, abi::kLanes / 2> each;
    std::size_t count = 0;
  };
  enum class Knows { None, Some, All };

  CheckPage &pageOf(std::uint64_t number);
  void accessPage(std::uint64_t number, bool isOnlyRead, Access &access, std::uint32_t lanes);
  const CheckPage *knownPage(std::uint64_t number);
  bool isMine(std::uint64_t page) const;
  template <typename Visitor> void forPages(const Range &range, Visitor visitor);
  template <typename Visitor> void forKnownPages(const Range &range, Visitor visitor);
  void hostTouches(Act act, bool writes, const Range &part);
  bool isOfBoth(std::uint64_t page) const { return (page & kShared) == 0 && ofBoth_.has(page); }
  /// Whether acts that come later, or code of the host, may meet what the launch does in the page.
  bool leavesPast(std::uint64_t page) const {
    return launch_->mayOverlap || (launch_->mayMeetHost && isOfBoth(page));
  }
  void hostAccessesIn(CheckPage &page, std::uint64_t number, const HostStep &step);
  void hostAccess(CheckPage &page, const HostStep &step, std::uint64_t address, std::uint32_t bytes);
  void meetHost(const PastAccess &past, const HostStep &step, std::uint64_t address, std::uint32_t cellBytes);
  bool tellsHost(const Moment &moment) const;
  void holdPast(std::uint64_t number, const CheckPage &page);
  static bool isWritten(const CheckPage &page, const SiteTraits &site, std::uint32_t from,
                        std::uint32_t count);
  Moment *cellsOf(CellPlane<Moment> &plane, std::uint32_t cellBytes);
  void touch(CheckPage &page, const Access &access, std::uint32_t from, std::uint32_t count);
  bool touchRow(CheckPage &page, const Access &access, bool isChecked);
  bool lookAtRow(CheckPage &page, const Access &access, std::uint32_t first, std::uint32_t cells);
  bool findSectors(const Access &access, std::uint32_t lanes, Sectors &sectors) const;
  Knows knowSector(const Moment &earlier, const Access &access);
  bool isPlainMeeting(const Moment &earlier, const Access &access);
  bool keepSectorReader(const Access &access, Moment &one, Moment &two);
  bool touchSectors(CheckPage &page, const Access &access, std::uint32_t lanes, bool isChecked);
  void spread(CheckPage &page);
  void leaveSectors(CheckPage &page);
  void keepReader(CheckPage &page, std::uint32_t cell, const Access &access);
  static bool isOfOtherWarp(const Moment &earlier, const Access &access) {
    return earlier.block != access.who.block || earlier.warp() != access.who.warp();
  }
  /// Whether who updated a cell is still to be met by others when this access has updated it as well.
  static bool mustStay(const Moment &earlier, const Access &access) {
    return earlier.isSomebody() && isOfOtherWarp(earlier, access) && !isKnownByAll(earlier, access);
  }

  bool followShared(CheckPage &page, std::uint64_t number, const Access &access, std::uint32_t lanes);
  const WarpTimes &copiesOf(SharedPage &shared, std::uint32_t block) const;
  bool putAside(CheckPage &page, std::uint64_t number, const Access &access, std::uint32_t lanes);
  void dropKnown(CheckPage &page, std::uint32_t block);
  void takeAsides(CheckPage &page, std::uint32_t block);
  void keepLastReader(CheckPage &page, std::uint32_t cell, const Moment &who);
  void refine(CheckPage &page);
  bool isSettled(CheckPage &page, const Access &access, std::uint32_t from, std::uint32_t count) const;
  bool makesWay(const Moment &reader, const Access &access);
  static bool isKnownByAll(const Moment &earlier, const Access &access);
  Moment whenDone(const Moment &copy);
  /// Of an access of shared memory by a block, whose it is; which block reads or writes there is the Moment's.
  std::uint32_t ownerOf(std::uint32_t block, std::uint64_t address) const;
  void noteForeign(std::uint64_t number, const Access &access);
  void confirmOwners();
  /// Whether it is known to happen before what another block has done, be its record behind that one's: a GPU's blocks come in any order.
  bool comesBefore(const Moment &now, const Moment &other) const {
    return other.block != now.block && other.isSomebody() && mayComeBefore(now, other);
  }
  bool mayComeBefore(const Moment &now, const Moment &other) const;
  bool isKnown(const Moment &earlier, const Access &access);
  bool isMutual(const Moment &earlier, const Access &access) const;
  bool isRaced(const Moment &earlier, const Access &access);
  void tellRace(const Moment &earlier, const Access &access);
  static FaultRule ruleOf(const Moment &first, const Moment &second);
  bool isSilent(const Moment &first, const Moment &second) const;
  RaceCause causeOf(const Moment &earlier, const Access &access);
  static std::uint64_t keyOf(std::uint64_t address, std::uint32_t block);
  void tellUnwritten(const Access &access);
  void resolve();
  void confirmUnwritten();
  void keepPast(std::uint64_t number, CheckPage &page);
  void meetPast(const PastAccess &earlier, const PastAccess &later, std::uint64_t address,
                std::uint32_t bytes);
  bool writes(const PastAccess &past) const;
  bool isStrong(const PastAccess &past) const;
  void endBlocks();
  void bound();
  void makeRoom();
  FaultPlace placeOf(const Moment &moment) const;

  const std::size_t number_;
  const Ordering &ordering_;
  const std::vector<const ModuleTraits *> &modules_; ///< by launch
  const PageRanges &ofBoth_;
  const std::uint64_t mostBytes_;
  const CheckedLaunch *launch_ = nullptr;
  std::unordered_map<std::uint64_t, CheckPage> pages_;
  PageRanges written_; ///< by the host, as a whole: also those that there is nothing else to say of
  std::vector<std::uint64_t> ofLaunch_; ///< that it has touched
  std::vector<std::uint64_t> emptied_;  ///< to make room
  std::vector<std::uint64_t> inTurn_;   ///< the same, of shared memory where blocks come one after the other
  std::uint32_t lastBlock_ = 0;         ///< of these
  std::uint32_t age_ = 0;               ///< goes on with what is held
  std::uint64_t heldAtAge_ = 0;
  std::uint32_t batch_ = 0;
  Moment lastCopy_, lastDone_; ///< whose whenDone() was asked for last, in `copyBatch_`
  std::uint32_t copyBatch_ = 0;
  std::vector<std::uint64_t> aside_; ///< pages of which reads were put aside in the batch
  /// Of pages that were asked for of late: they follow each other in turn.
  struct Near {
    std::uint64_t number = UINT64_MAX;
    CheckPage *page = nullptr;
  };
  std::array<Near, 256> near_;
  /// Where it is, if it is there.
  Near &nearOf(std::uint64_t number) { return near_[(number ^ number >> 20 << 3) % near_.size()]; }
  /// Pages that there were may be none any more.
  void forgetPlaces() {
    near_.fill({});
    looks_.fill({});
  }
  /// Looks at rows of late, by who made them.
  struct Look {
    const CheckPage *page = nullptr;
    std::uint32_t first = 0, cells = 0, changes = 0;
    Moment who;
  };
  std::array<Look, 256> looks_;
  std::uint64_t held_ = 0;                                 ///< bytes of cells
  std::uint64_t pastHeld_ = 0;                             ///< likewise, of acts that may overlap others
  std::vector<std::uint64_t> ofPast_;                      ///< pages that have these
  std::vector<std::unique_ptr<Moment[]>> left_;            ///< by pages of launches that are over
  std::vector<std::unique_ptr<SectorPlanes>> leftSectors_; ///< likewise
  std::vector<Pending> pending_;
  std::unordered_map<std::uint64_t, std::size_t> pendingPlaces_; ///< by a hash of what they are
  std::vector<Unwritten> unwritten_;
  std::unordered_map<std::uint64_t, std::size_t> unwrittenPlaces_; ///< by hash: which of them
  /// Accesses of other blocks' shared memory: the last one of each warp and site, by a hash of these and of the owner.
  struct Foreign {
    std::uint32_t owner;
    std::uint64_t address;
    std::uint32_t bytes;
    Moment who;
    std::uint64_t count;
  };
  std::unordered_map<std::uint64_t, Foreign> foreign_;
  std::unordered_set<std::uint64_t>
      raced_; ///< by keyOf(), of what is raced for inside blocks, while anything is unwritten
  FaultList faults_;
  HostMeetings host_;
  UnwrittenFetches fetches_;
  CheckGaps gaps_;
};

} // namespace cupr::analysis

#endif

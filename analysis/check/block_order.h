/// What threads of some blocks know of each other's accesses: happens-before, as PTX's memory model has it.
///
/// The problem: a trace holds what each warp did, in its order, and the records of a block's warps in an order that its barriers respect
/// (all are in one bin of the queue, whose places are taken in front of what a record says; on the CPU device one
/// host thread runs a block). It does not say which barrier was waited for together with whom, and nothing of the order between
/// blocks.
///
/// An asynchronous copy (cp.async) is done when its thread has waited for its group: its time is that of the wait (whenDone).
///
/// Inside a block: each warp has a *clock*, which goes on by one whenever it does something that others may wait for, and knows of each
/// other warp up to which clock its accesses happened before (a vector clock). Who arrives at a barrier leaves what it
/// knows there, and takes what all have left when it goes on, which is at its next record: by then all have
/// arrived. mbarriers and places through which fences, releases and acquires go are the same, without the wait; but for locks: who had
/// one first says nothing, since it could have been the other.
/// Lanes of a warp are not one: each knows of others what they did in front of a barrier of the warp that both came to, and what one
/// lane learns the others know behind the next such barrier.
///
/// Between blocks: which release an acquire has met the trace doesn't say. So two accesses count as ordered if the one's block released
/// something behind it that the other's had acquired before: they may be, and nothing is claimed. Places
/// are told apart by 63 classes of addresses, which stand for themselves here. On the CPU device it is the same for mbarriers and places inside a
/// block: there lanes run one after the other up to a barrier, and only then their accesses become records of their warp.
///
/// Where this is not exact it orders too much: what is said to be a race is one.
///
/// Source: PTX ISA, "Memory Consistency Model"; vector clocks as in C. Flanagan, S. Freund, FastTrack, PLDI 2009.
#ifndef CUPR_ANALYSIS_BLOCK_ORDER_H
#define CUPR_ANALYSIS_BLOCK_ORDER_H

#include "site_traits.h"
#include "warp_meetings.h"
#include "warp_step.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// A set of places through which data are handed over, by class.
using Places = std::uint64_t;
inline constexpr unsigned kPlaceClasses = 64;

/// Places that are locks: each warp that takes one gives it back, only who has taken it does, and nobody writes there otherwise.
struct LockPlaces {
  Places taken = 0, others = 0; ///< as locks are; also otherwise
  LockPlaces &operator|=(const LockPlaces &more) {
    taken |= more.taken;
    others |= more.others;
    return *this;
  }
  Places all() const { return taken & ~others; }
};

/// Through which others have told a warp of what they did: of other blocks, and of its own.
struct Acquired {
  Places fromBlocks = 0, inBlock = 0;
  Places fromCluster = 0;     ///< of blocks of the same cluster
  std::uint32_t waits = 0;    ///< at the cluster's barrier, before
  std::uint32_t arrivals = 0; ///< the same, of the lanes themselves
  Places locks = 0;           ///< that the lanes have at the time, by compare-and-swap
  Places lockedOnce = 0;      ///< that they have, or have had, and for the first time
  std::uint32_t phase = 0;    ///< barriers of the grid before
  Acquired &operator|=(const Acquired &more) {
    fromBlocks |= more.fromBlocks;
    inBlock |= more.inBlock;
    fromCluster |= more.fromCluster;
    waits = std::max(waits, more.waits);
    locks |= more.locks;
    lockedOnce |= more.lockedOnce;
    phase = std::max(phase, more.phase);
    return *this;
  }
  friend auto operator<=>(const Acquired &, const Acquired &) = default;
};

/// Which accesses of a block happened before, by warp: those of all its lanes at clocks below `all`, and of `lanes` at clocks below `some`.
struct WarpClocks {
  static constexpr unsigned kWarps = 32;
  using Clocks = std::array<std::uint32_t, kWarps>;
  Clocks all{}, some{}, lanes{};

  void raise(const WarpClocks &more);
  bool hold(const Moment &moment) const {
    const unsigned warp = moment.warp();
    return moment.clock < all[warp] || ((lanes[warp] >> moment.lane() & 1) != 0 && moment.clock < some[warp]);
  }
};

/// What a warp knows, as long as it learns nothing more.
struct Knowledge {
  /// What some lanes know.
  struct Part {
    std::uint32_t lanes = 0;
    WarpClocks clocks;
    Acquired acquired;
  };
  Part all; ///< what all lanes know; `lanes` is nothing
  std::vector<Part> parts;
  std::uint32_t met = 0; ///< all lanes of this warp know each other's accesses at clocks below
  /// The same of some of its lanes, oldest first.
  struct Meeting {
    std::uint32_t lanes, clock;
  };
  std::vector<Meeting> meetings;

  /// Below which clocks accesses are known both by who knows those below `others` and by all lanes of this warp, number `warp`.
  WarpClocks::Clocks atMost(WarpClocks::Clocks others, std::size_t warp) const;
};

/// What may be reached through each class of places, since who acquired the one released the other.
class PlaceReach {
public:
  void note(Places from, Places to) {
    for (; from != 0; from &= from - 1)
      reached_[static_cast<std::size_t>(std::countr_zero(from))] |= to;
  }
  void add(const PlaceReach &more) {
    for (unsigned place = 0; place < kPlaceClasses; ++place)
      reached_[place] |= more.reached_[place];
  }
  /// Also by way of others.
  void close() {
    for (unsigned through = 0; through < kPlaceClasses; ++through)
      for (Places &reached : reached_)
        if (reached >> through & 1)
          reached |= reached_[through];
  }
  Places from(unsigned place) const { return Places{1} << place | reached_[place]; }
  /// The same but for the place itself, unless somebody acquired it who released it again.
  Places beyond(unsigned place) const { return reached_[place]; }

private:
  std::array<Places, kPlaceClasses> reached_{};
};

/// Two barriers of the source at which threads of a block wait for each other.
struct DivergentBarrier {
  std::uint32_t block;
  std::uint32_t site, thread, otherSite, otherThread;
};

/// Two threads of a warp that wait for each other at different places; the first by a mask that names the other.
struct MissedMeeting {
  std::uint32_t block;
  std::uint32_t site, thread, otherSite, otherThread;
  std::uint32_t mask;
};

/// What is known of the clusters of a launch: nothing, that there are none, or that there are.
enum class ClusterUse { NotKnown, None, Some };

/// For whose threads something is handed over.
enum class HandOver { Block, Cluster, Device };

/// Blocks of one launch.
class BlockOrder {
public:
  /// Of so many blocks it is kept what their warps know, or as many as have records in one batch.
  /// `areInOrder`: a block's records stand in the order of time, as on a GPU; else only as far as its barriers have it.
  BlockOrder(const ModuleTraits &module, std::uint32_t threadsPerBlock, std::size_t mostBlocks,
             bool areInOrder, ClusterUse clusters);

  /// Takes the next record, of a module that records what orders: fills in what the step leaves open. Synchronisation changes what is known from then on.
  void take(WarpStep &step, const ChunkSteps &chunk);
  /// Before each batch: what is known gets new numbers.
  void beginBatch();
  static constexpr std::uint32_t kKnowsAll = 1;
  /// By number, of steps of this batch. 0 knows nothing, kKnowsAll all that its own block has done.
  const Knowledge &knowledge(std::uint32_t number) const { return known_[number]; }

  /// Of a block's accesses, those at clocks below these are known by all its warps, now and from now on.
  WarpClocks::Clocks knownByAll(std::uint32_t block) const;

  static constexpr std::uint32_t kNotDone = 0xffffffffu;
  /// At which clock of the warp an asynchronous copy that was issued at `clock` had been waited for; kNotDone: at none.
  std::uint32_t whenDone(std::uint32_t block, unsigned warp, std::uint32_t clock) const;

  /// In place of a number of Acquired: of blocks that were forgotten, and when there are too many sets to tell apart. All may
  /// have been handed over.
  static constexpr std::uint16_t kUntold = 0xffff;
  /// By number, but for kUntold.
  const Acquired &acquired(std::uint16_t number) const { return acquired_[number]; }

  /// Whether anything may have been told of what came at this moment, by one of its own block, or to another; to whom has acquired
  /// these places. Others of the block may have been told, which are at `handedOn` then, and tell it on.
  bool hasReleased(const Moment &first, bool inBlock, Places acquired, const PlaceReach &reach,
                   Places handedOn) const;
  /// The places at which threads of its block may have been told of what came at this moment, where that is not known by clocks.
  Places handedOn(const Moment &first, const PlaceReach &reachInBlocks) const;
  /// Of what it has released for its cluster or for all: whether `reaches(class)` holds for any that came behind this moment.
  template <typename Reaches>
  bool hasReleasedInCluster(const Moment &first, Places handedOn, const Reaches &reaches) const {
    const Released *const released = releasedInCluster(first.block);
    return released && std::ranges::any_of(*released, [&](const auto &entry) {
             return entry.second.mayKnow(first, handedOn) && reaches(entry.first);
           });
  }
  /// Whether threads of the block have released what came at this moment at the cluster's barrier, in one of its first `phases` phases;
  /// also if that is not known any more. The thread itself had arrived `arrivals` times.
  bool hasArrivedBehind(const Moment &first, std::uint32_t arrivals, std::uint32_t phases) const;
  /// How often threads of the block have waited at the cluster's barrier, at most, and what they have acquired of its blocks.
  Acquired lastAcquired(std::uint32_t block) const;
  /// Places of its cluster at which threads of the block have looked for what others do, whatever it was.
  Places looked(std::uint32_t block) const;
  static Places placeOf(std::uint64_t address, abi::MemorySpace space);
  /// Class of what blocks of a cluster leave for each other at its barrier: addresses have the others.
  static constexpr unsigned kClusterClass = kPlaceClasses - 1;
  /// To any other block.
  bool isReleased(const Moment &first) const;
  /// Whether it went on when it had been taken for done, or may.
  bool isForgotten(std::uint32_t block) const { return forgotten_.contains(block); }
  LockPlaces locks() const;
  const PlaceReach &reach() const { return reach_; }
  const PlaceReach &reachInBlocks() const { return reachInBlocks_; }
  const PlaceReach &reachInCluster() const { return reachInCluster_; }

  const std::vector<DivergentBarrier> &divergent() const { return divergent_; }
  std::vector<MissedMeeting> missedMeetings() const;
  /// Blocks that went on when they had been taken for done: how many.
  std::size_t missed() const { return missed_.size(); }

private:
  /// What was left at a place.
  struct Left {
    WarpClocks clocks;
    Acquired acquired;
    void add(const Left &more) {
      clocks.raise(more.clocks);
      acquired |= more.acquired;
    }
    bool mayKnow(const Moment &moment, Places handedOn) const {
      return clocks.hold(moment) || (acquired.inBlock & handedOn) != 0;
    }
  };
  /// A barrier, from the first who arrives to those who go on.
  struct Meeting {
    Left left;
    bool isPassed = false;              ///< somebody has gone on: who comes now is of the next time
    std::uint32_t site = 0, thread = 0; ///< of the first who arrived
    bool hasFirst = false;
  };
  /// An mbarrier: what was left in each of its phases, of which the first ones are dropped.
  struct Mbarrier {
    std::deque<Left> phases;
    std::uint64_t dropped = 0;
    bool isOver = true; ///< the last phase: somebody has found it over
    Left &current();
    std::uint64_t last() const { return dropped + phases.size() - 1; }
    const Left *phase(std::uint64_t number) const;
  };
  struct Warp {
    std::uint32_t clock = 1;
    Knowledge known;
    std::shared_ptr<Meeting> waits; ///< for those who come to this barrier; null: for none
    std::uint32_t waiting = 0;      ///< its lanes
    // What is pending of looks, by these lanes, for threads of the block and of the device.
    std::uint32_t looking = 0, acquiringLanes = 0;
    Places lookedBlock = 0, lookedDevice = 0, acquiring = 0, acquiringDevice = 0;
    Places lookedCluster = 0, acquiringCluster = 0;
    Places lookedLocks = 0, acquiringLocks = 0; ///< of those for the block: as locks are taken
    std::unique_ptr<Left> fenced, fencedDevice; ///< what was known at the last fence
    std::unique_ptr<Left> fencedCluster;
    /// Of each lane, how often it has arrived at the cluster's barrier; null: never.
    std::unique_ptr<std::array<std::uint32_t, abi::kLanes>> arrivals;
    std::uint32_t clusterWaiting = 0; ///< lanes that wait there, ...
    std::uint32_t clusterPhases = 0;  ///< ... until so many phases are over
    std::vector<std::uint32_t>
        copies; ///< groups of asynchronous copies: at which clocks they were issued at the latest
    struct Wait {
      std::uint32_t issued, clock;
    };
    std::vector<Wait>
        copyWaits; ///< for copies: those issued at this clock or before are done at that; both grow
    std::uint32_t locking = 0;   ///< the lanes that have taken a lock
    Places locks = 0;            ///< which they have
    Places taken = 0, given = 0; ///< as locks
    Places givenAgain = 0;       ///< more than once
    std::uint32_t giving = 0;    ///< the lanes that have given one back
    // RaceModel::Scoped: what looks have met, by these lanes, that have no fence behind them.
    std::uint32_t seeing = 0;
    Acquired seen;
    struct Arrival {
      std::uint32_t lanes;
      std::uint64_t phase;
    };
    std::map<std::uint64_t, std::vector<Arrival>> arrived; ///< at mbarriers: which lanes last in which phase
    std::uint32_t number = 0, batch = 0;                   ///< of what is known, and in which batch it got it
    std::unique_ptr<WarpMeetings> meetings;                ///< null: none yet
  };
  using Released = std::unordered_map<unsigned, Left>; ///< by class
  struct Block {
    std::uint32_t lastUse = 0; ///< a batch
    std::uint32_t phase = 0;   ///< barriers of the grid that it has come to
    std::vector<Warp> warps;
    std::unordered_map<std::uint64_t, std::shared_ptr<Meeting>> barriers; ///< by number
    std::unordered_map<std::uint64_t, Mbarrier> mbarriers;                ///< by object
    Released places;                                                      ///< what was released for the block
    Released released;                                                    ///< the same, for the device
    /// What was left at the cluster's barrier, by phase, of which the first ones are dropped.
    std::deque<Left> arrivals;
    std::uint32_t droppedArrivals = 0;
    Places looked = 0;          ///< at places of the cluster
    Released releasedInCluster; ///< for the cluster or the device; of launches that have clusters
    Acquired acquired; ///< by all its threads so far: of others of the cluster, and waits at its barrier
  };

  Block &blockOf(std::uint32_t number);
  std::uint32_t lanesOf(std::uint32_t warp) const;
  const Released *releasedBy(std::uint32_t block, bool inBlock) const;
  const Released *releasedInCluster(std::uint32_t block) const;
  bool hasClusters() const { return clusters_ == ClusterUse::Some; }
  HandOver reachOf(const SiteTraits &site) const;
  static std::uint32_t arrivalsOf(const Warp &warp, std::uint32_t lanes);
  void passCluster(const Block &block, Warp &warp, unsigned number);
  void arriveAtCluster(Block &block, Warp &warp, const WarpStep &step, const SiteTraits &site);
  void waitForCluster(Block &block, Warp &warp, const WarpStep &step);
  void forgetOldest();
  void comeTogether(Warp &warp, const WarpStep &step, const ChunkSteps &chunk, const SiteTraits &site);
  static void addMissed(std::uint32_t number, const Block &block, std::vector<MissedMeeting> &missed);
  void goOn(Warp &warp, unsigned number);
  void learn(Warp &warp, unsigned number, std::uint32_t lanes, const Left &left);
  void arrive(Block &block, Warp &warp, const WarpStep &step, bool waits, std::uint64_t barrier,
              bool releases = true);
  void meet(Warp &warp, std::uint32_t number, std::uint32_t lanes);
  void synchronise(Block &block, Warp &warp, const WarpStep &step, const ChunkSteps &chunk,
                   const SiteTraits &site);
  void waitForMbarrier(Block &block, Warp &warp, const WarpStep &step);
  static void waitForCopies(Warp &warp, std::uint64_t newest);
  void fence(Block &block, Warp &warp, const WarpStep &step, const SiteTraits &site);
  void handOver(Block &block, Warp &warp, const WarpStep &step, const ChunkSteps &chunk,
                const SiteTraits &site);
  void follow(Warp &warp, const WarpStep &step, const SiteTraits &site, Places places);
  static Places lockedOnce(const Warp &warp, std::uint32_t lanes);
  static LockPlaces locksOf(const Block &block);
  void release(Block &block, const Left &left, Places places, HandOver reach);
  void acquire(Block &block, Warp &warp, unsigned number, std::uint32_t lanes, Places forBlock, Places locks,
               Places forCluster, Places forDevice);
  Left own(const Warp &warp, unsigned number, std::uint32_t lanes) const;
  void number(Warp &warp);
  std::uint16_t numberOf(const Acquired &acquired);

  const ModuleTraits &module_;
  const std::uint32_t threads_;
  const std::size_t mostBlocks_;
  const bool areInOrder_;
  const ClusterUse clusters_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Block>>
      blocks_; ///< those that have done anything that orders
  std::uint32_t lastNumber_ = Moment::kNobody;
  Block *last_ = nullptr;
  std::unordered_set<std::uint32_t> forgotten_;
  std::unordered_set<std::uint32_t> missed_;                      ///< those of them that have gone on
  std::unordered_map<std::uint32_t, Released> released_;          ///< by blocks that are forgotten
  std::unordered_map<std::uint32_t, Released> releasedInCluster_; ///< likewise
  std::vector<Knowledge> known_ = std::vector<Knowledge>(2);
  std::uint32_t batch_ = 1;
  std::vector<Acquired> acquired_ = {{}};
  std::map<Acquired, std::uint16_t> acquiredNumbers_;
  /// The one that was numbered last: mostly the next one is the same.
  std::pair<Acquired, std::uint16_t> lastNumbered_;
  PlaceReach reach_, reachInBlocks_, reachInCluster_;
  LockPlaces locks_; ///< but for what is known of blocks that are not forgotten
  std::vector<DivergentBarrier> divergent_;
  std::vector<MissedMeeting> missedMeetings_; ///< of blocks that are forgotten
};

/// Whether this lane of a warp that knows `knowledge` knows of an access of the same block.
bool knows(const Knowledge &knowledge, unsigned warp, unsigned lane, const Moment &moment);

} // namespace cupr::analysis

#endif

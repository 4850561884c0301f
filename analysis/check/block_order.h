/// What threads of a launch know of each other's accesses: happens-before, as PTX's memory model has it.
///
/// The problem: a trace holds what each warp did, in its order, and the records of a block's warps in an order that its barriers respect
/// (all are in one bin of the queue, whose places are taken in front of what a record says; on the CPU device one
/// host thread runs a block). It does not say which barrier was waited for together with whom, and nothing of the order between
/// blocks.
///
/// Inside a block: each warp has a *clock*, which goes on by one whenever it does something that others may wait for, and knows of each
/// other warp up to which clock its accesses happened before (a vector clock). Who arrives at a barrier leaves what it
/// knows there, and takes what all have left when it goes on, which is at its next record: by then all have
/// arrived. mbarriers and places through which fences, releases and acquires go are the same, without the wait.
/// Lanes of a warp know each other's accesses from barriers that they passed together, of the block or of the warp.
///
/// Between blocks: which release an acquire has met the trace doesn't say. So two accesses count as ordered if the one's block released
/// something behind it that the other's had acquired before: they may be, and nothing is claimed. Places
/// are told apart by 63 classes of addresses, which stand for themselves here.
///
/// Where this is not exact it orders too much: what is said to be a race is one.
///
/// Source: PTX ISA, "Memory Consistency Model"; vector clocks as in C. Flanagan, S. Freund, FastTrack, PLDI 2009.
#ifndef CUPR_ANALYSIS_BLOCK_ORDER_H
#define CUPR_ANALYSIS_BLOCK_ORDER_H

#include "site_traits.h"
#include "warp_step.h"

#include <array>
#include <bit>
#include <cstdint>
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

/// What a warp knows, as long as it learns nothing more.
struct Knowledge {
  static constexpr unsigned kWarps = 32;
  /// By warp: its accesses at clocks below happened before.
  std::array<std::uint32_t, kWarps> clocks{};
  std::uint32_t met = 0; ///< all lanes of this warp know each other's accesses at clocks below
  /// The same of some of its lanes, oldest first.
  struct Meeting {
    std::uint32_t lanes, clock;
  };
  std::vector<Meeting> meetings;
};

/// Two barriers of the source at which threads of a block wait for each other.
struct DivergentBarrier {
  std::uint32_t block;
  std::uint32_t site, thread, otherSite, otherThread;
};

/// The blocks of one launch.
class BlockOrder {
public:
  /// Of so many blocks it is kept what their warps know, or as many as have records in one batch.
  BlockOrder(const ModuleTraits &module, std::uint32_t threadsPerBlock, std::size_t mostBlocks);

  /// Takes the next record: fills in what the step leaves open. Synchronisation changes what is known from then on.
  void take(WarpStep &step, const ChunkSteps &chunk);
  /// Before each batch: what is known gets new numbers.
  void beginBatch();
  /// By number, of steps of this batch. 0 knows nothing.
  const Knowledge &knowledge(std::uint32_t number) const { return known_[number]; }

  /// When all records were taken, before what follows is asked.
  void close();
  /// Whether what came at the first moment may have been handed over to the second, which is of another block.
  bool mayHandOver(const Moment &first, const Moment &second) const;
  /// If there had been a fence: the first is released behind, or the second has looked before.
  bool isReleased(const Moment &first) const;
  bool hasAcquired(const Moment &second) const { return acquired_[second.acquired] != 0; }

  const std::vector<DivergentBarrier> &divergent() const { return divergent_; }
  /// Blocks that went on when they had been taken for done: how many.
  std::size_t forgotten() const { return forgotten_.size(); }

private:
  static constexpr std::uint32_t kKnowsAll = 1; ///< a number of Knowledge
  using Clocks = std::array<std::uint32_t, Knowledge::kWarps>;
  /// What was left at a barrier or a place.
  struct Left {
    Clocks clocks{};
    Places acquired = 0;
    bool isPassed = false;             ///< somebody has gone on: who comes now is of the next time
    std::uint32_t site = 0, thread = 0; ///< of the first who arrived
    bool hasFirst = false, isTold = false;
    void add(const Clocks &more, Places places);
  };
  struct Warp {
    std::uint32_t clock = 1;
    Knowledge known;
    Places acquired = 0;          ///< through which others, of other blocks, have told this one
    std::shared_ptr<Left> waits; ///< for those who come to this barrier; null: for none
    std::uint32_t waiting = 0;   ///< its lanes
    // What is pending of looks and of writes: for threads of the block, and of the device.
    Places lookedBlock = 0, lookedDevice = 0, acquiring = 0, acquiringDevice = 0;
    std::unique_ptr<Clocks> fenced, fencedDevice; ///< what was known at the last fence
    Places fencedAcquired = 0;
    std::uint32_t number = 0, batch = 0; ///< of what is known, and in which batch it got it
  };
  using Released = std::unordered_map<unsigned, Left>; ///< by class
  struct Block {
    std::uint32_t lastUse = 0; ///< a batch
    std::vector<Warp> warps;
    std::unordered_map<std::uint64_t, std::shared_ptr<Left>> barriers; ///< by number; of mbarriers by object
    std::unordered_map<unsigned, Left> places; ///< by class: what was released for the block
    Released released; ///< the same, for the device
  };

  Block &blockOf(std::uint32_t number);
  std::uint32_t lanesOf(std::uint32_t warp) const;
  const Released *releasedBy(std::uint32_t block) const;
  void forgetOldest();
  void goOn(Warp &warp);
  void learn(Warp &warp, const Left &left);
  void arrive(Block &block, Warp &warp, const WarpStep &step, bool waits, std::uint64_t barrier);
  void meet(Warp &warp, std::uint32_t number, std::uint32_t lanes);
  void synchronise(Block &block, Warp &warp, const WarpStep &step, const SiteTraits &site);
  void fence(Block &block, Warp &warp, unsigned number, const SiteTraits &site);
  void handOver(Block &block, Warp &warp, const WarpStep &step, const ChunkSteps &chunk,
                const SiteTraits &site);
  void release(Block &block, const Clocks &clocks, Places acquired, Places places, bool isForDevice);
  void acquire(Block &block, Warp &warp, Places forBlock, Places forDevice);
  Clocks own(const Warp &warp, unsigned number) const;
  void number(Warp &warp);
  std::uint16_t numberOf(Places acquired);

  const ModuleTraits &module_;
  const std::uint32_t threads_;
  const std::size_t mostBlocks_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Block>> blocks_; ///< those that have done anything that orders
  std::uint32_t lastNumber_ = Moment::kNobody;
  Block *last_ = nullptr;
  std::unordered_set<std::uint32_t> forgotten_;
  std::unordered_map<std::uint32_t, Released> released_; ///< by blocks that are forgotten
  std::vector<Knowledge> known_ = std::vector<Knowledge>(2);
  std::uint32_t batch_ = 1;
  std::vector<Places> acquired_ = {0};
  std::unordered_map<Places, std::uint16_t> acquiredNumbers_ = {{0, 0}};
  /// By class: those that may be reached through it, since who acquired the one released the other.
  std::array<Places, kPlaceClasses> reached_{};
  std::vector<DivergentBarrier> divergent_;
};

/// Whether who knows `knowledge`, at the step of lane `lane`, knows of an access of the same block at `moment`.
bool knows(const Knowledge &knowledge, unsigned warp, unsigned lane, const Moment &moment);

} // namespace cupr::analysis

#endif

/// One part of memory, followed through all acts of the trace.
///
/// The address space is cut in pages, and pages are dealt to shards, so that shards can be worked on by
/// different threads, or one after the other where memory is short: what happens to a byte depends on no
/// other byte, but for copies on the device, whose two ends lie in one shard (page_deal.h). All figures are sums over shards; the few that are not (how many accesses met a writer, where
/// an access reaches over a page) leave a note for the end (Crossing).
///
/// A launch is gathered while its records come: which bytes it read, by CTA and altogether, and who wrote
/// each byte last. When it ends, its reads are looked up in memory as it was before the launch, and then its
/// writes become memory. So records are read once, though reads come before writes in the definition.
///
/// A CTA's records stand in the order in which it made the accesses. What it reads behind a write of its own,
/// with no other CTA's between, is its own: such a read is kept out of all that looks at earlier launches.
/// The records of different CTAs have an order that CUDA doesn't promise; it tells what is read behind a
/// write from what is written behind a read, in dependences inside a launch.
///
/// What a byte holds and who read it are kept apart, since reads cut memory in other places than writes. Most
/// bytes have one CTA that reads them in a launch: it stands in the byte's mark, and only where there are
/// more are the others kept as ranges.
///
/// A copy on the device hands on who wrote its source: what it writes are versions of those CTAs, as if they
/// had stored the bytes there themselves, at the time of the copy. Their writer is a number above those of the
/// acts, which stands for the act that produced the bytes and the copy that brought them.
#ifndef CUPR_ANALYSIS_ADDRESS_SHARD_H
#define CUPR_ANALYSIS_ADDRESS_SHARD_H

#include "access_shapes.h"
#include "allocation_map.h"
#include "communicated_accesses.h"
#include "communication.h"
#include "cta_strides.h"
#include "cut_traffic.h"
#include "flow.h"
#include "page_deal.h"
#include "prefetch_ahead.h"
#include "producer_sets.h"
#include "ranges.h"
#include "recent_sums.h"
#include "runs_by_page.h"
#include "shadow.h"
#include "shard_run.h"
#include "sum_table.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tbb/enumerable_thread_specific.h>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cupr::analysis {

struct ShardFindings;

/// What shards look up. Nothing else in it changes while they work.
struct ShardContext {
  const Ordering &ordering;
  AccessShapes &shapes; ///< copies add to them
  tbb::enumerable_thread_specific<ShapeFlows> &shapeFlows;
  const PageDeal &deal;
  /// By launch: the first launch of its kernel; how many CTAs it has; whether its grid and its CTAs have the shape of the launch's before.
  const std::vector<LaunchIndex> &kernels;
  const std::vector<std::uint64_t> &ctas;
  const std::vector<bool> &hasShapeOfLast;
  /// By site: it replaces what was there, whatever that is.
  const std::vector<bool> &replaces;
  /// By allocation, and for all else: whether the host may read and write it without a call that the trace
  /// knows.
  const std::vector<bool> &isOpenToHost;
  /// By copy that brought the same bytes as an earlier one to the same place: that one.
  const std::unordered_map<Act, Act> &sameCopies;
  const UnseenLaunches &unseen;
  trace::WorkLimit &limit;
  /// Takes transfers, crossings, and what is known of CTAs; from several threads.
  const std::function<void(ShardFindings &)> &takeEarly;
  /// If not null, what GPUs would exchange is followed, and nothing else is found.
  CutSums *cuts;
  /// If not null, it is told which accesses take part in communication.
  CommunicatedAccesses *accesses;
  bool ctaStrides; ///< are asked for
};

/// An access that is in several runs met a writer: counts once, however many of its runs say so.
struct Crossing {
  std::uint64_t access;
  DependenceClass dependence;
  LaunchIndex source, destination;
  std::uint32_t sourceCta, destinationCta;
  std::uint32_t threads = 1; ///< that make it together

  bool before(const Crossing &other) const;
  void add(const Crossing &) {}
};

/// Distinct bytes that a CTA of a launch wrote and a later launch read.
struct StoredVolume {
  LaunchIndex launch = kHost;
  std::uint32_t cta = 0;
  std::uint64_t bytes = 0;

  // For SumTable.
  bool isNone() const { return launch == kHost; }
  bool sameKey(const StoredVolume &other) const { return launch == other.launch && cta == other.cta; }
  std::uint64_t hash() const { return keyHash(launch, cta); }
  void add(const StoredVolume &more) { bytes += more.bytes; }
};

/// What a shard has found since it was asked last.
struct ShardFindings {
  std::unordered_map<LaunchIndex, LaunchVolume> launches;
  std::map<std::pair<LaunchIndex, LaunchIndex>, LaunchPair> pairs; ///< (destination, source)
  std::uint64_t sameIndex = 0, otherIndex = 0, concurrent = 0, hostRead = 0, hostReadOverwritten = 0,
                ofLastProducer = 0;
  std::map<Dependence, DependenceVolume> dependences;
  std::map<Act, CopyVolume> copies;
  std::map<KernelSite, OverwrittenVolume> overwrittenUnread;
  std::map<LoadedAgain, std::uint64_t> loadedAgain;
  std::unordered_map<std::uint32_t, AllocationVolume> allocations; ///< by index; no counts
  std::vector<Transfer> transfers;
  std::vector<Crossing> crossings;
  std::vector<CtaStride> ctaStrides;
  SumTable<StoredVolume> stored;
};

class AddressShard {
public:
  AddressShard(const ShardContext &context, unsigned number)
      : context_(context), number_(number), takesNotes_(context.accesses || context.ctaStrides) {
    if (context.cuts)
      traffic_ = std::make_unique<CutTraffic>(*context.cuts);
    if (context.accesses)
      notes_ = std::make_unique<AccessNotes>(*context.accesses);
    if (context.ctaStrides)
      ctaStrides_ = std::make_unique<CtaStrides>(context.shapes);
  }

  /// Between `begin` and `end` come the runs of one launch.
  void begin(Act act, LaunchIndex launch, std::shared_ptr<const AllocationMap> allocations);
  /// All that a batch has of them. `order`: the calling thread's.
  void add(RunsByPage::Parts runs, RunsByPage &order);
  void end();

  /// Each takes the parts of `range` that are this shard's.
  void hostReads(Act act, const Range &range, std::shared_ptr<const AllocationMap> allocations);
  void hostWrites(Act act, const Range &range, std::shared_ptr<const AllocationMap> allocations);
  void handOn(Act act, const Move &move, std::shared_ptr<const AllocationMap> allocations);
  void hostDone();
  void forget(const Range &range) {
    spend(kStepsPerPage * (memory_.pagesIn(range) + readings_.pagesIn(range)));
    memory_.clear(range);
    readings_.clear(range);
    replaced_.clear(range);
    if (traffic_)
      traffic_->forget(range);
  }

  /// At the end of a batch, by the thread that went through it: what there may be most of.
  void tellTransfers();
  /// All else.
  ShardFindings takeFindings() {
    forgetPlaces();
    if (notes_)
      notes_->tell();
    context_.limit.release(std::exchange(kept_, 0));
    return std::exchange(findings_, {});
  }
  unsigned number() const { return number_; }
  /// At the end of the trace: tells the context's cuts all.
  void finish() {
    if (traffic_)
      traffic_->tell();
  }

  /// Between two batches: writes all that it knows and forgets it, and takes it back. Findings must have been
  /// taken.
  void save(std::FILE *file);
  void load(std::FILE *file);
  /// Memory in use, about.
  std::uint64_t bytes() const {
    return memory_.bytes() + readings_.bytes() + replaced_.bytes() + reads_.bytes() + writes_.bytes() +
           otherReads_.bytes() + late_.bytes() + contributors_.bytes() + growingSets_.bytes() +
           producerSets_.bytes() + lateReads_.bytes() + flows_.bytes() + (traffic_ ? traffic_->bytes() : 0);
  }

private:
  /// Bits of Reading::readers.
  enum Reader : std::uint32_t {
    kSameIndex = 1,
    kOtherIndex = 2,
    kAnyLaunch = 4,
    kHostCopy = 8,
    kUnordered = 16,
    kHandedOn = 32, ///< to a CTA of another index, or another kernel
    kUnorderedHostCopy = 64,
    kSurely = 128,         ///< a launch, with no doubt (doubtfulBytes)
    kDeviceCopy = 256,     ///< that handed it on
    kSameIndexNow = 512,   ///< kSameIndex, by the present launch
    kSurelyIfClosed = 1024 ///< a launch, with no doubt where memory is not the host's to write
  };
  struct Version {
    Act writer = kNoAct;   ///< or from kFirstHandedOn on
    std::uint32_t cta = 0; ///< the last writer's; of several producers, their set
    std::uint32_t shape : 30 = 0;
    std::uint32_t isShared : 1 = 0; ///< has several producers
    std::uint32_t isCut : 1 = 0;    ///< has had too many to keep, so that the last one stands for all
    friend bool operator==(const Version &, const Version &) = default;
  };
  /// Who has read a version. Of the last act that did, the lowest CTA at its lowest site: mostly the first to
  /// come, so that what comes later changes nothing.
  struct Reading {
    Act act = kNoAct;
    std::uint32_t cta = 0, site = 0;
    std::uint32_t readers : 12 = 0; ///< of all acts
    std::uint32_t toNext : 20 = 0;  ///< from `cta` to the next one that did; 0: none, or it is further away
    bool isBy(std::uint32_t other) const { return other == cta || (toNext != 0 && other == cta + toNext); }
    friend bool operator==(const Reading &, const Reading &) = default;
  };
  /// The CTAs with the two lowest indices that read a byte in this launch, each at its lowest site. All but
  /// the first are in otherReads_, too. Reads of a CTA's own data don't count.
  struct ReadMark {
    std::uint32_t ctaAndOne = 0, site = 0;           ///< 0: none
    std::uint32_t otherCtaAndOne = 0, otherSite = 0; ///< 0: no other CTA did
    bool many() const { return otherCtaAndOne != 0; }
    /// As Reading::toNext.
    std::uint32_t toNext() const {
      const std::uint32_t apart = many() ? otherCtaAndOne - ctaAndOne : 0;
      return apart >> 20 == 0 ? apart : 0;
    }
    /// Whether a read changes it.
    bool concerns(std::uint32_t cta, std::uint32_t at) const {
      if (cta == ctaAndOne)
        return at < site;
      if (cta == otherCtaAndOne)
        return at < otherSite;
      return ctaAndOne == 0 || cta < ctaAndOne || otherCtaAndOne == 0 || cta < otherCtaAndOne;
    }
    void add(std::uint32_t cta, std::uint32_t at);
    friend bool operator==(const ReadMark &, const ReadMark &) = default;
  };
  struct WriteMark {
    std::uint32_t ctaAndOne = 0; ///< of the last writer; 0: none
    std::uint32_t shape : 30 = 0;
    std::uint32_t readBack : 1 = 0;       ///< a CTA has read what it had written itself
    std::uint32_t overwritesRead : 1 = 0; ///< what another CTA had read, and that is counted
    bool isBy(std::uint32_t cta, std::uint32_t ofShape) const { return ctaAndOne == cta && shape == ofShape; }
    friend bool operator==(const WriteMark &, const WriteMark &) = default;
  };
  /// The first time that a CTA read what another had written in this launch: who, and what.
  struct LateMark {
    std::uint32_t readerAndOne = 0, readerSite = 0; ///< 0: none
    std::uint32_t writer = 0, writerShape = 0;
    friend bool operator==(const LateMark &, const LateMark &) = default;
  };
  /// A part of a run that reads, and is not the CTA's own.
  struct OtherData {
    Range range;
    bool isLate; ///< another CTA had written it in this launch
  };
  /// Who read a part of a run that writes.
  struct EarlierRead {
    Range range;
    std::uint32_t cta, site;
  };
  /// Who wrote a part of what a run reads.
  struct Segment {
    Act writer;
    std::uint32_t cta;
    Range range;
  };

  /// What a copy on the device brought.
  struct HandedOn {
    Act producer, copy;
    std::uint32_t isDoubtful; ///< the copy may have found something else there (doubtfulBytes)
    friend auto operator<=>(const HandedOn &, const HandedOn &) = default;
  };
  static constexpr Act kFirstHandedOn{1u << 31};
  /// The number that stands for `handedOn_[index]`.
  static constexpr Act writerOfHandedOn(std::size_t index) {
    return Act{static_cast<std::uint32_t>(kFirstHandedOn) + static_cast<std::uint32_t>(index)};
  }

  /// Where sums stand, for one kind of dependence of the present act.
  struct KnownVolume {
    DependenceClass dependence;
    Act first = kNoAct;
    std::uint32_t firstSite = 0, secondSite = 0;
    DependenceVolume *volume = nullptr;
    bool isFor(const KnownVolume &other) const {
      return volume && dependence == other.dependence && first == other.first &&
             firstSite == other.firstSite && secondSite == other.secondSite;
    }
  };

  void startAct(Act act, LaunchIndex launch);
  void forgetPlaces();
  LaunchVolume &volumeOfLaunch();
  /// Who made a version, and who brought it to where it is.
  Act producerOf(Act writer) const { return writer < kFirstHandedOn ? writer : handedOn(writer).producer; }
  Act bringerOf(Act writer) const { return writer < kFirstHandedOn ? writer : handedOn(writer).copy; }
  const HandedOn &handedOn(Act writer) const {
    assert(writer >= kFirstHandedOn && "an act stands for itself");
    const auto index = static_cast<std::uint32_t>(writer) - static_cast<std::uint32_t>(kFirstHandedOn);
    assert(index < handedOn_.size() && "the number of what a copy brought");
    return handedOn_[index];
  }
  const std::uint32_t &lastCta(const Version &version) const {
    return version.isShared ? producerSets_.lastOf(version.cta) : version.cta;
  }
  std::span<const std::uint32_t> producersOf(const Version &version) const;
  /// Whether producersOf has the last one alone, of several.
  bool lacksProducers(const Version &version) const {
    return version.isCut || (version.isShared && producersOf(version).size() == 1);
  }
  void addContributor(const ShardRun &run, const Range &part, std::uint32_t before);
  void endContributions();
  void forgetUnusedSets();
  LaunchIndex producingLaunch(Act writer) const { return context_.ordering.launchOf(producerOf(writer)); }
  template <typename Count> void forEachAllocation(const Range &range, Count count);
  DependenceOrder orderOf(Act earlier) {
    if (earlier != orderedWith_)
      lookUp(earlier);
    return order_;
  }
  /// Of what the present act finds of an earlier one: may have been written again, by a launch that wasn't seen
  /// or by the host without a call.
  std::uint64_t doubtfulBytes(const Range &range, Act earlier) {
    if (earlier != orderedWith_)
      lookUp(earlier);
    return overwritten_ ? range.bytes() : hostMayHaveActed_ ? openBytes(range) : 0;
  }
  std::uint64_t openBytes(const Range &range);
  std::uint64_t certainBytes(const Range &range, std::uint32_t readers) {
    return readers & kSurely           ? range.bytes()
           : readers & kSurelyIfClosed ? range.bytes() - openBytes(range)
                                       : 0;
  }
  void lookUp(Act earlier);
  bool isHandedOn(LaunchIndex source, std::uint32_t sourceCta, std::uint32_t cta) const {
    return sourceCta != cta || context_.kernels[source] != context_.kernels[launch_];
  }
  DependenceVolume &volumeOf(DependenceClass dependence, Act first, std::uint32_t firstSite,
                             std::uint32_t secondSite);
  KernelSite kernelSiteOf(Act act, std::uint32_t site) const;
  std::uint32_t siteOf(std::uint32_t shape) const { return context_.shapes.siteOf(shape); }
  std::uint32_t siteOfWriter(const Version &version) const;
  LaunchPair &pairWith(LaunchIndex source);
  void add(std::span<const ShardRun> runs);
  void add(const ShardRun &run);
  void addToPage(const ShardRun &run);
  void addRead(const ShardRun &run);
  void addRead(const ShardRun &run, const OtherData &other);
  void addLateRead(const ShardRun &run, const Range &range, const WriteMark &written);
  void addWrite(const ShardRun &run);
  void overwritesInside(const ShardRun &run);
  void endLateReads();
  void endTraffic();
  void countOperations(const ShardRun &run);
  bool readOfCta(std::uint32_t cta, std::uint64_t bytes, const Version &version);
  void readOfOtherCta(std::uint32_t cta, const Range &range);
  void markSameIndex(std::uint64_t bytes, const Version &version, Reading &reading);
  void readOfLaunch(const Range &range, const ReadMark &mark, const Version &version, Reading &reading);
  void countRead(const Range &range);
  void versionIsRead(const Range &range, const Version &version, Reading &reading, std::uint32_t readers);
  void write(const Range &range, const WriteMark &mark, Version &version, Reading &reading);
  void overwritten(std::uint64_t bytes, const Version &before, std::uint32_t cta, std::uint32_t site);
  void overwritten(std::uint64_t bytes, const Reading &before, std::uint32_t cta, std::uint32_t site);
  void overwrittenUnread(const Range &range, const Version &version);
  void loadedAgain(const Range &range, const ReadMark &read, const Reading &before);
  void writtenAfresh(const Range &range, const Version &before, bool isRead);
  CopyVolume &volumeOfCopy(Act copy);
  void readByCopy(const Range &range, const Version &version);
  void countUnchanged(Act copy, Act before, const Range &part);
  void replace(const Range &part);
  Act handedOnAs(const HandedOn &handed);
  Version readToHandOn(const Range &range, const Version &version, std::uint64_t distance);
  Version movedBy(const Range &range, const Version &version, std::uint64_t destination);
  void depend(DependenceKind kind, Act first, std::uint32_t firstCta, std::uint32_t firstSite,
              std::uint64_t bytes, std::uint32_t cta, std::uint32_t site);
  void flush();
  void addFlow(const Flow &flow);
  void putTransfer(const Flow &flow);
  void moveFlows();
  void tellFindings();
  void spendWork();
  void noteReads(const ShardRun &run);
  void noteWrites(const Range &range, const Version &version, const ShapeFlow &flow);
  void moveStrides();
  void moveManyStrides();
  void spend(std::uint64_t steps);
  void keepMore();

  const ShardContext &context_;
  const unsigned number_;
  const bool takesNotes_; ///< notes_ or ctaStrides_ are there
  Shadow<Version> memory_;
  Shadow<Reading> readings_;
  LaunchIndex lastLaunch_ = kHost; ///< that has ended here
  Shadow<std::uint32_t> replaced_; ///< 1: what it had written, and the host has written since
  ShardFindings findings_;
  std::unique_ptr<CutTraffic> traffic_;
  ProducerSets producerSets_;
  std::size_t usedMembers_ = 0; ///< of the sets, when they were looked through last
  std::vector<HandedOn> handedOn_;
  std::map<HandedOn, Act> numbersOfHandedOn_;
  std::vector<std::pair<Range, Version>> moved_; ///< by the present row of a copy: from where, and as what
  // Null: nobody asks for them.
  std::unique_ptr<AccessNotes> notes_;
  std::unique_ptr<CtaStrides> ctaStrides_;

  // The present act.
  Act act_ = kNoAct;
  LaunchIndex launch_ = kHost;
  std::shared_ptr<const AllocationMap> allocations_;
  Shadow<ReadMark> reads_;
  Shadow<WriteMark> writes_;
  RangeSet otherReads_;              ///< by CTAs above the one in the byte's mark
  Shadow<ProducerSet> contributors_; ///< where there are several
  GrowingSets growingSets_;
  Shadow<LateMark> late_;
  RangeSet lateReads_;                  ///< by CTA: what it read behind another one's write
  std::vector<OtherData> others_;       ///< of a run: what is not the CTA's own
  std::vector<EarlierRead> overwrites_; ///< of a run
  RecentSums<Flow> flows_;
  std::vector<Segment> segments_;   ///< of a run
  std::vector<Range> communicated_; ///< of a run: what earlier launches wrote
  std::vector<std::tuple<DependenceOrder, LaunchIndex, std::uint32_t>> met_; ///< by a thread

  static constexpr std::uint64_t kStepsPerPage = 40, kStepsPerSegment = 60, kStepsPerFlow = 150,
                                 kStepsPerStream = 100, kStepsPerNote = 200, kStepsPerCtaStride = 300,
                                 kStepsPerFreshByte = 3;
  /// Of an access that goes over several, which are kept until the launch ends.
  static constexpr std::uint64_t kStepsPerWidePage = 3000;
  static constexpr std::size_t kMostTransfers = 1u << 9; ///< likewise crossings, and CTAs that stored
  std::uint64_t segmentSteps_ = 0;                       ///< not yet spent
  std::uint64_t mostBytes_ = 0;                          ///< that were ever in use
  std::uint64_t kept_ = 0;                               ///< by the maps of the findings

  // What was asked for last.
  Act orderedWith_ = kNoAct;
  DependenceOrder order_{};
  bool overwritten_ = false, hostMayHaveActed_ = false;
  static constexpr unsigned kKnownVolumes = 16;
  std::array<KnownVolume, kKnownVolumes> knownVolumes_;
  LaunchVolume *launchVolume_ = nullptr;
  ShapeFlows *shapeFlows_ = nullptr; ///< of the thread that takes the present act
  AllocationMap::Entry lastAllocation_{};
  AllocationVolume *lastAllocationVolume_ = nullptr; ///< null: none is known
};

} // namespace cupr::analysis

#endif

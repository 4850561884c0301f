#include "checker.h"

#include "decoded_batches.h"
#include "failed_kernels.h"
#include "host_faults.h"
#include "host_races.h"
#include "kernel_gaps.h"
#include "largest_first.h"
#include "launch_order.h"
#include "memory_lifetimes.h"
#include "memory_shard.h"
#include "overlapping_acts.h"
#include "unwritten_fetches.h"

#include "analysis/engine/unseen_launches.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kUsualMemory = std::uint64_t{2} << 30;
/// Of a batch: fewer leave threads idle at its end, and more take memory that a cache does not hold.
constexpr std::size_t kFewestChunks = 32, kChunksPerThread = 8;
/// What is kept of a warp that takes part in barriers, about.
constexpr std::uint64_t kBytesPerWarp = 900;
/// For each page that a copy to the host reads.
constexpr std::uint64_t kStepsPerPage = 75;
/// Of the memory, what is kept of arrays in local memory, and of blocks that are followed in part: one part of so many.
constexpr std::uint64_t kArraysShare = 16, kReducedShare = 16;

std::uint32_t threadsOf(const trace::Dim3 &block) {
  constexpr std::uint64_t kMost = 1024;
  const std::uint64_t plane = std::min(std::uint64_t{block.x} * block.y, kMost);
  return static_cast<std::uint32_t>(std::clamp(plane * block.z, std::uint64_t{1}, kMost));
}

unsigned threadsFor(const CheckOptions &options) {
  return options.threads ? options.threads : static_cast<unsigned>(tbb::info::default_concurrency());
}

bool isOfFree(FaultRule rule) { return rule == FaultRule::DoubleFree || rule == FaultRule::InvalidFree; }

/// What the check knows of the trace when it begins: all of it, or a part of one that grows, in which there is one stream so far, or are
/// several.
enum class Known { Whole, OneStream, SeveralStreams };

class TraceCheck {
public:
  TraceCheck(const Model &model, const CheckOptions &options, Known known, Repeated repeated)
      : model_(model), options_(options), known_(known), ordering_(model), lifetimes_(model),
        memory_(options.memory ? options.memory : kUsualMemory),
        batches_(model, ordering_, lifetimes_, failed_, kernels_, traits_,
                 std::max(kFewestChunks, kChunksPerThread * threadsFor(options)), repeated,
                 memory_ / kReducedShare),
        faults_(kernels_, traits_, &calls_) {
    if (known != Known::OneStream)
      overlaps_ = overlappingActs(model, ordering_);
    if (known == Known::SeveralStreams)
      for (std::size_t act = 1; act < overlaps_.size(); ++act)
        overlaps_[act] = overlaps_[act] || !ordering_.hasHostWaitedFor(Act{static_cast<std::uint32_t>(act)});
    for (std::size_t i = 0; i < kCheckShards; ++i)
      shards_.push_back(std::make_unique<MemoryShard>(i, ordering_, traits_, kernels_, ofBoth_,
                                                      memory_ / 2 / kCheckShards));
    takeHostAccesses();
  }

  Checked run() {
    if (options_.progress)
      options_.progress->start(chunksOfAll());
    addLaunches();
    followAll();
    if (options_.progress)
      options_.progress->finish();
    return result();
  }

  /// Nothing: there is another stream, and what its acts may meet was not kept. Then nothing was looked at.
  std::optional<std::vector<Fault>> extend(Growth growth) {
    lifetimes_.extend();
    addLaunches();
    const bool hadHostWaited = ordering_.extend();
    if (known_ == Known::OneStream && !ordering_.hasOneStream())
      return std::nullopt;
    takeHostAccesses();
    if (hadHostWaited)
      batches_.hostHasWaited();
    followAll();
    std::vector<Fault> faults = faults_.takeNew();
    failed_.tell(faults_.faults(), std::exchange(failuresTold_, failed_.size()), faults);
    tellFrees(model_, lifetimes_, std::exchange(freesTold_, model_.strayFrees().size()), faults);
    if (growth == Growth::Over)
      tellEnd(faults);
    finish(faults);
    return faults;
  }

  /// Of a check of the same trace: what that has told, extend() does not tell again.
  std::vector<Fault> extendBehind(const TraceCheck &before, Growth growth) {
    failuresTold_ = before.failuresTold_;
    freesTold_ = before.freesTold_;
    std::vector<Fault> faults = *extend(growth);
    std::erase_if(faults, [&](const Fault &fault) {
      return fault.rule != FaultRule::FailedKernel && !isOfFree(fault.rule) && before.faults_.has(fault);
    });
    return faults;
  }

  /// Whether there are faults where not all was followed.
  bool mustFollowAll() const {
    const auto isDerived = [&](LaunchIndex launch) {
      return launch != kHost && model_.launches()[launch].derivedRecords;
    };
    return reduced_ != 0 && std::ranges::any_of(faults_.faults(), [&](const Fault &fault) {
             return isDerived(fault.place.launch) || (fault.other && isDerived(fault.other->launch));
           });
  }

  Checked result() const {
    Checked checked;
    checked.faults = faults_.faults();
    failed_.tell(faults_.faults(), 0, checked.faults);
    tellFrees(model_, lifetimes_, 0, checked.faults);
    tellEnd(checked.faults);
    finish(checked.faults);
    checked.model = options_.model;
    checked.launches = checked_;
    checked.accesses = accesses_;
    tellUnchecked(checked);
    return checked;
  }

private:
  /// Those that the model has got since.
  void addLaunches() {
    for (std::size_t i = modules_.size(); i < model_.modules().size(); ++i)
      modules_.emplace_back(&model_.modules()[i], options_.model);
    for (auto i = static_cast<LaunchIndex>(kernels_.size()); i < model_.launches().size(); ++i) {
      const LaunchInfo &info = model_.launches()[i];
      kernels_.push_back(
          firstOfKernel_.try_emplace({info.launch.module, info.launch.mangled}, i).first->second);
      const auto module = static_cast<std::size_t>(info.launch.module);
      traits_.push_back(module < modules_.size() ? &modules_[module] : &noModule_);
      if (!failureOf(info).empty())
        failed_.add(i);
      if (!info.launch.traced)
        gapsByKernel_.addUntraced(info);
    }
  }

  /// Decodes a batch while the one before it is followed: shards and parts of the order are not alike, and who is done early finds
  /// something to do.
  void followAll() {
    DecodedBatches::Batch *now = &some_[0], *next = &some_[1];
    bool isThere = begin(now->batch);
    if (isThere)
      batches_.decode(*now);
    while (isThere) {
      batches_.noteWrites(now->batch);
      const bool isNextThere = begin(next->batch);
      tbb::parallel_invoke(
          [&] {
            order(now->batch, now->chunks);
            follow(now->batch, now->chunks);
          },
          [&] {
            if (isNextThere)
              batches_.decode(*next);
          });
      endLaunches(now->batch);
      done_ += now->batch.chunks.size();
      if (options_.progress)
        options_.progress->look(done_);
      std::swap(now, next);
      isThere = isNextThere;
    }
    batches_.takeFaults(faults_);
    for (const std::unique_ptr<MemoryShard> &shard : shards_)
      faults_.add(std::move(shard->faults()));
    tellUnwrittenFetches(shards_, model_, ordering_, isOnGpu(), faults_);
    if (model_.header().hostAccesses)
      races_.tell(shards_, ordering_, lifetimes_, faults_);
  }

  /// What the model has got since of acts and of code of the host.
  void takeHostAccesses() {
    if (!model_.header().hostAccesses)
      return;
    races_.extend(ordering_, lifetimes_);
    for (; allocationsTaken_ < model_.allocations().size(); ++allocationsTaken_) {
      const trace::Allocation &memory = model_.allocations()[allocationsTaken_].allocation;
      const Range range = accessRange(memory.address, memory.bytes);
      if ((memory.kind == trace::MemoryKind::Managed || memory.kind == trace::MemoryKind::Host) &&
          range.begin < range.end)
        ofBoth_.add(range.begin >> kCheckPageShift, ((range.end - 1) >> kCheckPageShift) + 1);
    }
  }
  /// Of a trace that grows, what comes may.
  bool mayMeetHost(Act act) const { return model_.header().hostAccesses && races_.mayMeet(act); }

  std::uint64_t chunksOfAll() const {
    std::uint64_t chunks = 0;
    for (const LaunchInfo &launch : model_.launches())
      chunks += launch.chunks.size();
    return chunks;
  }

  /// Calls of the host may be missing. A trace that is still written only has no end yet.
  bool lacksWaits() const {
    return model_.header().hostAccesses && known_ == Known::Whole && !model_.truncation().empty();
  }
  bool isOnGpu() const { return model_.header().process.deviceKind == "gpu"; }
  /// Of a trace that grows it is not known of its last acts: what comes may, in another stream.
  bool mayOverlap(Act act) const {
    const auto number = static_cast<std::size_t>(act);
    return number < overlaps_.size() ? overlaps_[number] : known_ == Known::SeveralStreams;
  }

  /// What can be told of this launch.
  CheckedLaunch begun(LaunchIndex index, Act act) {
    const LaunchInfo &info = model_.launches()[index];
    CheckedLaunch launch;
    launch.index = index;
    launch.act = act;
    launch.module = traits_[index];
    const std::uint32_t threads = threadsOf(info.launch.block);
    const std::uint64_t blockBytes = kBytesPerWarp * ((threads + 31) / 32);
    launch.order = std::make_unique<LaunchOrder>(
        *launch.module, threads, static_cast<std::size_t>(memory_ / 4 / blockBytes),
        isOnGpu() && options_.model == RaceModel::Ptx, trace::Clusters(info.launch));
    const bool isTimed = info.launch.timed != abi::LatencyScheme::None;
    const bool isInOrder = info.complete() && !isTimed;
    launch.inBlocks = isInOrder && launch.module->isSynchronised;
    // What the CPU device has of a kernel that failed is the beginning of each thread's way; so it is of one that was cut off.
    launch.inThreads =
        !isTimed && (info.complete() || (!isOnGpu() && !failureOf(info).empty()) || isCutOff(info));
    launch.inWarps = launch.inThreads && launch.module->isSynchronised;
    launch.betweenBlocks = isInOrder && (launch.module->isSynchronised || !launch.module->hasStrong);
    launch.mayOverlap = mayOverlap(act) && info.complete();
    launch.areInTurn = info.derivedRecords != nullptr && !launch.order->clusters().areThere();
    launch.mayMeetHost = mayMeetHost(act) && info.complete();
    if (launch.mayMeetHost && launch.module->hasSystemFence)
      races_.tells(act);
    const trace::Clusters &clusters = launch.order->clusters();
    launch.hasAllBlocks = info.launch.ctas.isAll();
    launch.sharedIsKnown = isInOrder && !launch.module->sharedIsOpen &&
                           (clusters.areKnown() || !launch.module->hasClusterBarrier) &&
                           (launch.hasAllBlocks || !clusters.areThere());
    gapsByKernel_.add(info, launch);
    return launch;
  }

  /// Takes the next batch, and notes which launches begin; false: there is none.
  bool begin(StepBatch &batch) {
    if (!batches_.next(batch))
      return false;
    for (MemoryStep &step : batch.steps) {
      step.isFetch = step.isFetch && lifetimes_.isBlank(step.range, ordering_.callOrderOf(step.act));
      if (step.isFetch)
        model_.limit().spend(kStepsPerPage * (step.range.bytes() >> kCheckPageShift),
                             [] { return std::string("what copies to the host read"); });
      if (step.kind == MemoryStep::Begin)
        if (const auto [found, isNew] = launches_.try_emplace(step.launch); isNew) {
          found->second = begun(step.launch, step.act);
          batches_.begin(found->second);
        }
    }
    return true;
  }

  /// How much of the first `count` chunks each part has.
  template <std::size_t Parts>
  static std::array<std::uint64_t, Parts>
  sizesOf(const std::vector<CheckedChunk> &chunks, std::size_t count,
          const std::array<std::uint32_t, Parts + 1> CheckedChunk::*begins) {
    std::array<std::uint64_t, Parts> sizes{};
    for (std::size_t chunk = 0; chunk < count; ++chunk)
      for (std::size_t part = 0; part < Parts; ++part)
        sizes[part] += (chunks[chunk].*begins)[part + 1] - (chunks[chunk].*begins)[part];
    return sizes;
  }

  void order(const StepBatch &batch, std::vector<CheckedChunk> &chunks) {
    for (const MemoryStep &step : batch.steps)
      if (step.kind == MemoryStep::Begin)
        launches_.at(step.launch).order->beginBatch();
    forLargestFirst(
        sizesOf<kOrderParts>(chunks, batch.chunks.size(), &CheckedChunk::orderBegins), [&](std::size_t part) {
          for (std::size_t i = 0; i < batch.chunks.size(); ++i) {
            CheckedChunk &chunk = chunks[i];
            if (chunk.orderBegins[part] == chunk.orderBegins[part + 1])
              continue;
            CheckedLaunch &launch = launches_.at(batch.chunks[i].launch);
            const ModuleTraits &module = *launch.module;
            BlockOrder *const order = module.isSynchronised ? &launch.order->part(part) : nullptr;
            for (std::uint32_t at = chunk.orderBegins[part]; at < chunk.orderBegins[part + 1]; ++at) {
              WarpStep &step = chunk.steps.steps[chunk.ordered[at]];
              if (module.sites[step.site].isLocal)
                takeLocal(launch, part, step, chunk.steps);
              else if (order)
                order->take(step, chunk.steps);
            }
          }
        });
    for (std::size_t i = 0; i < batch.chunks.size(); ++i)
      accesses_ += chunks[i].accesses + chunks[i].left, reduced_ += chunks[i].reduced;
    for (const MemoryStep &step : batch.steps)
      if (step.kind == MemoryStep::End)
        launches_.at(step.launch).order->close();
  }

  void takeLocal(CheckedLaunch &launch, std::size_t part, const WarpStep &step,
                 const ChunkSteps &chunk) const {
    if (!launch.inThreads)
      return;
    std::unique_ptr<LocalArrays> &arrays = launch.arrays[part];
    if (!arrays)
      arrays = std::make_unique<LocalArrays>(*launch.module, memory_ / kArraysShare / kOrderParts);
    arrays->take(step, chunk);
  }

  void follow(const StepBatch &batch, const std::vector<CheckedChunk> &chunks) {
    forLargestFirst(sizesOf<kCheckShards>(chunks, batch.chunks.size(), &CheckedChunk::begins),
                    [&](std::size_t shard) {
                      MemoryShard &memory = *shards_[shard];
                      memory.beginBatch();
                      for (const MemoryStep &step : batch.steps)
                        followStep(memory, shard, step, chunks);
                      memory.endBatch();
                    });
  }

  static void followPieces(MemoryShard &memory, std::size_t shard, const CheckedChunk &chunk) {
    // A step is asked for first, then its addresses, then what lies there.
    constexpr std::uint32_t kAhead = 8;
    const std::vector<WarpStep> &steps = chunk.steps.steps;
    const std::uint32_t end = chunk.begins[shard + 1];
    for (std::uint32_t i = chunk.begins[shard]; i < end; ++i) {
      if (i + 3 * kAhead < end)
        __builtin_prefetch(&steps[chunk.pieces[i + 3 * kAhead].step]);
      if (i + 2 * kAhead < end)
        chunk.steps.expect(chunk.pieces[i + 2 * kAhead].step, chunk.pieces[i + 2 * kAhead].lanes);
      if (i + kAhead < end) {
        const StepPiece &next = chunk.pieces[i + kAhead];
        memory.expect(chunk.steps, steps[next.step], next.lanes, next.page);
      }
      const StepPiece &piece = chunk.pieces[i];
      memory.access(chunk.steps, steps[piece.step], piece.lanes, piece.page);
    }
  }

  void followStep(MemoryShard &memory, std::size_t shard, const MemoryStep &step,
                  const std::vector<CheckedChunk> &chunks) const {
    switch (step.kind) {
    case MemoryStep::Begin:
      memory.begin(launches_.at(step.launch));
      break;
    case MemoryStep::Runs:
      followPieces(memory, shard, chunks[step.chunk]);
      if (const std::vector<WarpStep> &its = chunks[step.chunk].steps.steps; !its.empty())
        memory.endChunk(its.back().block);
      break;
    case MemoryStep::End:
      memory.end();
      break;
    case MemoryStep::HostReads:
      if (step.allocations)
        memory.hostReads(step.act, leavesPast(step), step.range);
      if (step.isFetch)
        memory.hostFetches(step.act, step.range);
      break;
    case MemoryStep::HostWrites:
      if (step.allocations && step.range.bytes() != 0)
        memory.hostWrites(step.act, leavesPast(step), step.range);
      break;
    case MemoryStep::Forget:
      memory.forget(step.range);
      break;
    case MemoryStep::HostAccess:
      memory.hostAccesses(races_.stepOf(step.access, step.range));
      break;
    case MemoryStep::Waited:
      memory.forgetPast();
      break;
    case MemoryStep::HandOn:
    case MemoryStep::HostDone:
      break;
    }
  }
  /// Of a copy or set: whether others may meet it.
  bool leavesPast(const MemoryStep &step) const {
    return mayOverlap(step.act) ||
           (mayMeetHost(step.act) && ofBoth_.has(step.range.begin >> kCheckPageShift));
  }

  void endLaunches(const StepBatch &batch) {
    for (const MemoryStep &step : batch.steps)
      if (step.kind == MemoryStep::End) {
        const auto found = launches_.find(step.launch);
        tellDivergent(found->second);
        tellMissed(found->second);
        tellArrays(found->second);
        missed_ += found->second.order->missed();
        ++checked_;
        launches_.erase(found);
        batches_.end(step.launch);
      }
  }

  void tellDivergent(const CheckedLaunch &launch) {
    if (!launch.inBlocks)
      return;
    for (const DivergentBarrier &met : launch.order->divergent()) {
      Fault fault;
      fault.rule = FaultRule::DivergentBarrier;
      fault.count = 1;
      fault.place = {launch.index, launch.act, met.site, met.block, met.thread};
      fault.other = {launch.index, launch.act, met.otherSite, met.block, met.otherThread};
      faults_.add(fault);
    }
  }

  void tellArrays(const CheckedLaunch &launch) {
    for (const std::unique_ptr<LocalArrays> &arrays : launch.arrays)
      if (arrays) {
        for (Fault &fault : arrays->faults()) {
          fault.place.launch = launch.index;
          fault.place.act = launch.act;
          faults_.add(fault);
        }
        hasMissedArrays_ = hasMissedArrays_ || arrays->isFull();
      }
  }

  void tellMissed(const CheckedLaunch &launch) {
    if (!launch.inWarps)
      return;
    for (const MissedMeeting &missed : launch.order->missedMeetings()) {
      Fault fault;
      fault.rule = FaultRule::WarpMask;
      fault.count = 1;
      fault.address = missed.mask;
      fault.place = {launch.index, launch.act, missed.site, missed.block, missed.thread};
      fault.other = {launch.index, launch.act, missed.otherSite, missed.block, missed.otherThread};
      faults_.add(fault);
    }
  }

  /// What is known when the program has ended.
  void tellEnd(std::vector<Fault> &faults) const {
    tellErrors(model_, faults);
    tellLeaks(model_, faults);
  }

  void tellUnchecked(Checked &checked) const {
    using enum FaultRule;
    gapsByKernel_.tell(checked.unchecked);
    const auto say = [&](std::vector<FaultRule> rules, std::string why) {
      checked.unchecked.push_back({std::move(rules), std::move(why)});
    };
    if (lacksWaits())
      say({RaceHost}, "the trace is not whole, and what the host has waited for may be missing");
    if (lifetimes_.hasForeign() && model_.header().hostAccesses)
      say({RaceHost}, "the program uses libraries that were not rebuilt: what they wait for is not seen");
    if (model_.host().calls.empty() && !model_.launches().empty())
      say({UncheckedError}, "the trace has none of the host's calls: CUPR_PATHS=off, or an older runtime");
    if (lifetimes_.hasForeign())
      say({UninitialisedRead},
          "the program uses libraries that were not rebuilt: what they write is not seen");
    if (hasMissedArrays_)
      say({UninitialisedRead},
          "there was no room for all arrays in local memory that one launch has: --memory gives more");
    CheckGaps gaps;
    for (const std::unique_ptr<MemoryShard> &shard : shards_)
      gaps.add(shard->gaps());
    if (gaps.reads != 0)
      say({UninitialisedRead},
          fmt::format(
              "there was no room for all places of memory that one launch reads and nobody had written "
              "by then ({} left out)",
              gaps.reads));
    if (gaps.pages + gaps.pairs + missed_ != 0)
      say(model_.header().hostAccesses ? std::vector{RaceLanes, RaceWarps, RaceBlocks, RaceLaunches, RaceHost}
                                       : std::vector{RaceLanes, RaceWarps, RaceBlocks, RaceLaunches},
          fmt::format(
              "there was no room for all that one launch accesses ({} pages, {} pairs of accesses, {} "
              "blocks left out): --memory gives more",
              gaps.pages, gaps.pairs, missed_));
  }

  /// Leaves out what is not sure, says what memory the rest is about, and sorts it.
  void finish(std::vector<Fault> &faults) const {
    if (lacksWaits())
      std::erase_if(faults, [](const Fault &fault) { return fault.rule == FaultRule::RaceHost; });
    if (lifetimes_.hasForeign())
      std::erase_if(faults, [](const Fault &fault) {
        return fault.rule == FaultRule::RaceHost ||
               (fault.rule == FaultRule::UninitialisedRead && fault.space == abi::MemorySpace::Global);
      });
    for (Fault &fault : faults) {
      const bool isOfAct = fault.place.launch == kHost && fault.place.act != kNoAct;
      if (!fault.allocation && fault.place.site != FaultPlace::kNoSite &&
          fault.space == abi::MemorySpace::Global && fault.rule != FaultRule::DivergentBarrier &&
          fault.rule != FaultRule::WarpMask && (isOfAct || fault.place.launch != kHost))
        fault.allocation =
            lifetimes_.holds(fault.address, isOfAct ? ordering_.callOrderOf(fault.place.act)
                                                    : model_.launches()[fault.place.launch].launch.order);
    }
    std::ranges::sort(faults, {}, [](const Fault &fault) {
      return std::tuple(fault.rule, fault.place.launch, fault.address, fault.place, fault.other, fault.call);
    });
  }

  const Model &model_;
  const CheckOptions options_;
  const Known known_;
  Ordering ordering_;
  MemoryLifetimes lifetimes_;
  std::vector<bool> overlaps_; ///< by act, of those that were there when it began
  const std::uint64_t memory_;
  const ModuleTraits noModule_{nullptr};
  std::deque<ModuleTraits> modules_;
  std::vector<const ModuleTraits *> traits_; ///< by launch
  std::vector<LaunchIndex> kernels_;         ///< by launch: the first of its kernel
  std::map<std::pair<trace::ModuleId, std::string>, LaunchIndex> firstOfKernel_;
  FailedKernels failed_{model_};
  DecodedBatches batches_;
  std::array<DecodedBatches::Batch, 2> some_; ///< the one that is followed, and the next
  std::uint64_t done_ = 0;                    ///< chunks
  std::vector<std::unique_ptr<MemoryShard>> shards_;
  std::map<LaunchIndex, CheckedLaunch> launches_; ///< that have begun and not ended
  PageRanges ofBoth_;                             ///< that host and device both reach
  std::size_t allocationsTaken_ = 0;
  HostRaces races_{model_, known_ == Known::Whole};
  CallPlaces calls_{model_, ordering_};
  FaultList faults_;
  std::size_t failuresTold_ = 0, freesTold_ = 0; ///< by extend()
  KernelGaps gapsByKernel_;
  std::uint64_t accesses_ = 0, reduced_ = 0, checked_ = 0, missed_ = 0;
  bool hasMissedArrays_ = false;
};

/// The threads that work.
class CheckThreads {
public:
  explicit CheckThreads(const CheckOptions &options)
      : threads_(threadsFor(options)), control_(tbb::global_control::max_allowed_parallelism, threads_),
        arena_(static_cast<int>(threads_)) {}
  template <typename Body> auto execute(Body body) { return arena_.execute(body); }

private:
  const unsigned threads_;
  const tbb::global_control control_;
  tbb::task_arena arena_;
};

} // namespace

Checked check(const Model &model, const CheckOptions &options) {
  return CheckThreads(options).execute([&] {
    {
      TraceCheck once(model, options, Known::Whole, Repeated::Left);
      Checked checked = once.run();
      if (!once.mustFollowAll())
        return checked;
    }
    return TraceCheck(model, options, Known::Whole, Repeated::Followed).run();
  });
}

struct GrowingCheck::Parts {
  const Model &model;
  const CheckOptions options;
  CheckThreads threads;
  std::unique_ptr<TraceCheck> check;
};

GrowingCheck::GrowingCheck(const Model &model, const CheckOptions &options)
    : parts_(new Parts{model, options, CheckThreads(options),
                       std::make_unique<TraceCheck>(model, options, Known::OneStream, Repeated::Followed)}) {}

GrowingCheck::~GrowingCheck() = default;

/// Most programs have one stream, whose acts meet nobody. When there is a second one, what was before is looked at once more, and what
/// others may meet of it is kept.
std::vector<Fault> GrowingCheck::extend(Growth growth) {
  return parts_->threads.execute([&] {
    if (std::optional<std::vector<Fault>> faults = parts_->check->extend(growth))
      return *std::move(faults);
    auto again = std::make_unique<TraceCheck>(parts_->model, parts_->options, Known::SeveralStreams,
                                              Repeated::Followed);
    std::vector<Fault> faults = again->extendBehind(*parts_->check, growth);
    parts_->check = std::move(again);
    return faults;
  });
}

Checked GrowingCheck::result() const { return parts_->check->result(); }

} // namespace cupr::analysis

/// What a launch does while its records come.
#include "address_shard.h"
#include "sum_at.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace cupr::analysis {

using enum DependenceKind;
using enum DependenceOrder;

bool Crossing::before(const Crossing &other) const {
  const auto key = [](const Crossing &c) {
    return std::tuple(c.access, c.dependence, c.destination, c.source, c.destinationCta, c.sourceCta);
  };
  return key(*this) < key(other);
}

void AddressShard::begin(Act act, LaunchIndex launch, std::shared_ptr<const AllocationMap> allocations) {
  assert(act != kNoAct && launch != kHost && "runs are of a launch");
  startAct(act, launch);
  allocations_ = std::move(allocations);
  if (traffic_)
    traffic_->begin(launch);
}

void AddressShard::startAct(Act act, LaunchIndex launch) {
  act_ = act;
  launch_ = launch;
  forgetPlaces();
  shapeFlows_ = &context_.shapeFlows.local();
}

void AddressShard::forgetPlaces() {
  knownVolumes_ = {};
  launchVolume_ = nullptr;
  shapeFlows_ = nullptr;
  lastAllocationVolume_ = nullptr;
}

void AddressShard::add(RunsByPage::Parts runs, RunsByPage &order) {
  // What CutTraffic knows of a byte depends on others.
  if (traffic_)
    for (const std::span<const ShardRun> part : runs)
      add(part);
  else
    order.forEach(runs, [&](std::span<const ShardRun> some) { add(some); });
}

void AddressShard::add(std::span<const ShardRun> runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    prefetchAhead(runs, i, [&](const ShardRun &run, const auto &ask) {
      if (run.elements != 1)
        return;
      ask(reads_, run.begin);
      ask(writes_, run.begin);
      if (run.operation == abi::OperationClass::Store)
        return;
      ask(memory_, run.begin);
      ask(late_, run.begin);
      // So is the sum of its shape, of which there are tens of thousands.
      if (run.shape < shapeFlows_->reads.size())
        __builtin_prefetch(&shapeFlows_->reads[run.shape], 1);
    });
    add(runs[i]);
    if (i % 64 == 63)
      spendWork();
  }
  spendWork();
}

/// After a few runs, or one that may be large: what it took is spent, and findings beyond what is kept go on.
void AddressShard::spendWork() {
  // Memory that was never used before is dear: the kernel clears it, and it may have to go to disk and back.
  if (const std::uint64_t used = bytes(); used > mostBytes_) {
    segmentSteps_ += kStepsPerFreshByte * (used - mostBytes_);
    mostBytes_ = used;
  }
  if (segmentSteps_ != 0)
    spend(std::exchange(segmentSteps_, 0));
  if (ctaStrides_)
    moveManyStrides();
  if (findings_.transfers.size() > kMostTransfers || findings_.crossings.size() > kMostTransfers ||
      findings_.stored.size() > kMostTransfers)
    tellFindings();
}

void AddressShard::spend(std::uint64_t steps) {
  context_.limit.spend(steps, [&] {
    return act_ == kNoAct || launch_ == kHost ? std::string("copies, sets and allocations")
                                              : "the launch with place " + std::to_string(launch_ + 1) +
                                                    " among the calls: following its data";
  });
}

/// For what was added to the maps of the findings.
void AddressShard::keepMore() {
  constexpr std::uint64_t kBytesPerNode = 160;
  context_.limit.keep(kBytesPerNode, [] { return std::string("who depends on whom"); });
  kept_ += kBytesPerNode;
}

void AddressShard::add(const ShardRun &run) {
  if (run.elementBytes <= kPageBytes)
    return addToPage(run);
  ShardRun part = run;
  context_.deal.forEachPart(run.range(), number_, [&](const Range &range) {
    part.begin = range.begin;
    part.elementBytes = static_cast<std::uint32_t>(range.bytes());
    segmentSteps_ += kStepsPerWidePage;
    addToPage(part);
    spendWork();
  });
}

void AddressShard::addToPage(const ShardRun &run) {
  assert(run.range().begin < run.range().end && act_ != kNoAct && launch_ != kHost);
  if (run.operation != abi::OperationClass::Store)
    addRead(run);
  if (run.operation != abi::OperationClass::Load)
    addWrite(run);
}

void AddressShard::lookUp(Act earlier) {
  orderedWith_ = earlier;
  const Act bringer = bringerOf(earlier);
  order_ = context_.ordering.before(bringer, act_) ? Ordered : Concurrent;
  overwritten_ = (earlier >= kFirstHandedOn && handedOn(earlier).isDoubtful) ||
                 context_.unseen.mayRunBetween(bringer, act_);
  hostMayHaveActed_ = producingLaunch(earlier) != kHost && context_.ordering.hostMayActBetween(bringer, act_);
  segmentSteps_ += kStepsPerStream * context_.unseen.streams();
}

KernelSite AddressShard::kernelSiteOf(Act act, std::uint32_t site) const {
  const LaunchIndex launch = producingLaunch(act);
  return launch == kHost ? KernelSite{} : KernelSite{context_.kernels[launch], site};
}

DependenceVolume &AddressShard::volumeOf(DependenceClass dependence, Act first, std::uint32_t firstSite,
                                         std::uint32_t secondSite) {
  const KnownVolume wanted{dependence, first, firstSite, secondSite, nullptr};
  KnownVolume &known = knownVolumes_[(dependence.number() + static_cast<std::uint32_t>(first) * 5 +
                                      firstSite * 3 + secondSite) %
                                     kKnownVolumes];
  if (!known.isFor(wanted)) {
    known = wanted;
    // A node of the map stays where it is.
    const auto [entry, isNew] = findings_.dependences.try_emplace(
        {dependence, kernelSiteOf(first, firstSite), kernelSiteOf(act_, secondSite)});
    if (isNew)
      keepMore();
    known.volume = &entry->second;
  }
  return *known.volume;
}

LaunchVolume &AddressShard::volumeOfLaunch() {
  if (!launchVolume_)
    launchVolume_ = &findings_.launches[launch_];
  return *launchVolume_;
}

/// The host's writes have no shape.
std::uint32_t AddressShard::siteOfWriter(const Version &version) const {
  return producingLaunch(version.writer) == kHost ? 0 : siteOf(version.shape);
}

LaunchPair &AddressShard::pairWith(LaunchIndex source) {
  const auto [entry, isNew] = findings_.pairs.try_emplace({launch_, source});
  if (isNew)
    keepMore();
  return entry->second;
}

/// Keeps the two lowest CTAs, each with its lowest site.
void AddressShard::ReadMark::add(std::uint32_t cta, std::uint32_t at) {
  if (cta == ctaAndOne) {
    site = std::min(site, at);
  } else if (ctaAndOne == 0 || cta < ctaAndOne) {
    otherCtaAndOne = ctaAndOne;
    otherSite = site;
    ctaAndOne = cta;
    site = at;
  } else if (cta == otherCtaAndOne) {
    otherSite = std::min(otherSite, at);
  } else if (otherCtaAndOne == 0 || cta < otherCtaAndOne) {
    otherCtaAndOne = cta;
    otherSite = at;
  }
}

/// Leaves out what the CTA has written itself.
void AddressShard::addRead(const ShardRun &run) {
  const Range range = run.range();
  const std::uint32_t cta = run.cta + 1;
  bool ownIsNew = false;
  std::uint64_t at = range.begin;
  others_.clear();
  const auto addUpTo = [&](std::uint64_t end) {
    if (at < end)
      others_.push_back({{at, end}, false});
  };
  writes_.visit(range, [&](const Range &part, const WriteMark &mark) {
    addUpTo(part.begin);
    at = part.end;
    if (mark.ctaAndOne == cta) {
      ownIsNew = ownIsNew || !mark.readBack;
      return;
    }
    others_.push_back({part, true});
    addLateRead(run, part, mark);
  });
  addUpTo(range.end);
  if (ownIsNew)
    writes_.change(
        range, Shadow<WriteMark>::Missing::Skip,
        [&](const WriteMark &mark) { return mark.ctaAndOne == cta && !mark.readBack; },
        [](const Range &, WriteMark &mark) { mark.readBack = 1; });
  segments_.clear();
  for (const OtherData &other : others_)
    addRead(run, other);
  segmentSteps_ += kStepsPerSegment * (others_.size() + segments_.size());
  if (segments_.empty())
    return;
  countOperations(run);
  if (takesNotes_)
    noteReads(run);
}

void AddressShard::addRead(const ShardRun &run, const OtherData &other) {
  const Range &range = other.range;
  const std::uint32_t cta = run.cta + 1, site = siteOf(run.shape);
  // Late readers are known already; they join the others at the end.
  const auto addToOthers = [&](std::uint32_t of, const Range &part) {
    if (of != cta || !other.isLate)
      otherReads_.add(of - 1, part);
  };
  reads_.change(
      range, Shadow<ReadMark>::Missing::Make, [&](const ReadMark &mark) { return mark.concerns(cta, site); },
      [&](const Range &part, ReadMark &mark) {
        if (mark.ctaAndOne != 0 && mark.ctaAndOne != cta)
          addToOthers(std::max(cta, mark.ctaAndOne), part);
        mark.add(cta, site);
      },
      [&](const Range &part, const ReadMark &mark) {
        if (mark.ctaAndOne != cta)
          addToOthers(cta, part);
      });
  if (traffic_)
    return;
  memory_.visit(range, [&](const Range &part, const Version &version) {
    const std::span<const std::uint32_t> producers = producersOf(version);
    for (const std::uint32_t producer : producers)
      segments_.push_back({version.writer, producer, part});
    const std::uint32_t last = lastCta(version);
    const DependenceOrder order = orderOf(version.writer);
    const std::uint64_t bytes = part.bytes() * run.threads;
    DependenceVolume &volume = volumeOf({Raw, order}, version.writer, siteOfWriter(version), site);
    volume.bytes += bytes;
    const LaunchIndex source = producingLaunch(version.writer);
    if (source == kHost)
      return;
    (last == run.cta ? volume.sameIndex : volume.otherIndex) += bytes;
    if (order == Ordered) {
      volumeOfLaunch().readByThreads += bytes;
      const ShapeBytes read{bytes, firstBytes(run, part) * run.threads};
      ShapeFlow &sum = sumAt(shapeFlows_->reads, run.shape);
      sum.communicated += read;
      if (producers.size() > 1 || isHandedOn(source, last, run.cta))
        sum.handedOn += read;
    }
  });
}

/// Behind another CTA's write.
void AddressShard::addLateRead(const ShardRun &run, const Range &range, const WriteMark &written) {
  const std::uint32_t cta = run.cta + 1;
  late_.change(
      range, Shadow<LateMark>::Missing::Make, [](const LateMark &mark) { return mark.readerAndOne == 0; },
      [&](const Range &part, LateMark &mark) {
        mark = {cta, siteOf(run.shape), written.ctaAndOne - 1, written.shape};
        lateReads_.add(run.cta, part);
      },
      [&](const Range &part, const LateMark &mark) {
        if (mark.readerAndOne != cta)
          lateReads_.add(run.cta, part);
      });
}

/// Each byte counts once for each CTA that read it behind another one's write.
void AddressShard::endLateReads() {
  const std::vector<RangeSet::Entry> &lateReads = lateReads_.byCta();
  for (std::size_t i = 0; i < lateReads.size(); ++i) {
    prefetchAhead(std::span(lateReads), i, [&](const RangeSet::Entry &ahead, const auto &ask) {
      ask(reads_, ahead.begin);
      ask(late_, ahead.begin);
    });
    const RangeSet::Entry &entry = lateReads[i];
    reads_.visit(entry.range(), [&](const Range &part, const ReadMark &mark) {
      if (mark.ctaAndOne != entry.cta + 1)
        otherReads_.add(entry.cta, part);
    });
    segmentSteps_ += kStepsPerPage;
    if (traffic_)
      continue;
    late_.visit(entry.range(), [&](const Range &part, const LateMark &mark) {
      segmentSteps_ += kStepsPerSegment;
      DependenceVolume &volume =
          volumeOf({Raw, InsideLaunch}, act_, siteOf(mark.writerShape), mark.readerSite);
      volume.bytes += part.bytes();
      volume.otherIndex += part.bytes();
      if (mark.writer != entry.cta)
        addFlow({{Raw, InsideLaunch}, act_, mark.writer, entry.cta, part.bytes(), 0});
      else // it came before; the first reader is the one that it can have read from
        addFlow({{Raw, InsideLaunch}, act_, mark.readerAndOne - 1, entry.cta, part.bytes(), 0});
    });
    if (i % 64 == 63)
      spendWork();
  }
  spendWork();
  lateReads_.clear();
  late_.clear();
}

void AddressShard::addWrite(const ShardRun &run) {
  const std::uint32_t cta = run.cta + 1;
  bool mayOverwriteRead = false;
  writes_.change(
      run.range(), Shadow<WriteMark>::Missing::Make,
      [&](const WriteMark &before) {
        mayOverwriteRead = mayOverwriteRead || !before.overwritesRead;
        return !before.isBy(cta, run.shape);
      },
      [&](const Range &part, WriteMark &before) {
        if (traffic_ && before.ctaAndOne != 0)
          traffic_->add(traffic_->earlyWriters(), before.ctaAndOne - 1, part);
        else if (before.ctaAndOne != 0 && before.ctaAndOne != cta) {
          addFlow({{Waw, InsideLaunch}, act_, before.ctaAndOne - 1, run.cta, part.bytes(), 0});
          DependenceVolume &volume =
              volumeOf({Waw, InsideLaunch}, act_, siteOf(before.shape), siteOf(run.shape));
          volume.bytes += part.bytes();
          volume.otherIndex += part.bytes();
        }
        if (!traffic_)
          addContributor(run, part, before.ctaAndOne);
        before.ctaAndOne = cta;
        before.shape = run.shape;
      });
  if (mayOverwriteRead && !traffic_)
    overwritesInside(run);
}

/// What another CTA has read in this launch: the first time counts.
void AddressShard::overwritesInside(const ShardRun &run) {
  const std::uint32_t cta = run.cta + 1;
  overwrites_.clear();
  reads_.visit(run.range(), [&](const Range &part, const ReadMark &mark) {
    if (mark.ctaAndOne != cta)
      overwrites_.push_back({part, mark.ctaAndOne - 1, mark.site});
    else if (mark.many())
      overwrites_.push_back({part, mark.otherCtaAndOne - 1, mark.otherSite});
  });
  segmentSteps_ += kStepsPerSegment * overwrites_.size();
  for (const EarlierRead &read : overwrites_)
    writes_.change(
        read.range, Shadow<WriteMark>::Missing::Skip,
        [](const WriteMark &mark) { return !mark.overwritesRead; },
        [&](const Range &part, WriteMark &mark) {
          mark.overwritesRead = 1;
          addFlow({{War, InsideLaunch}, act_, read.cta, run.cta, part.bytes(), 0});
          DependenceVolume &volume = volumeOf({War, InsideLaunch}, act_, read.site, siteOf(run.shape));
          volume.bytes += part.bytes();
          volume.otherIndex += part.bytes();
        });
}

} // namespace cupr::analysis

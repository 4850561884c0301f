/// Versions as launches and the host leave them: who has read them, and what replaces them.
///
/// The order of the steps at a launch's end is the definition: reads by CTA, reads altogether, writes, and
/// only then who has read what is still there.
#include "address_shard.h"
#include "sum_at.h"

namespace cupr::analysis {

using enum DependenceKind;
using enum DependenceOrder;

namespace {

/// Longer ranges are of coalesced accesses, which wait less, for more.
constexpr std::uint64_t kScatteredBytes = 16;

constexpr auto kAlways = [](const auto &) { return true; };

} // namespace

/// Calls `count(bytes, volume of an allocation, its index)` for the parts of `range`.
template <typename Count> void AddressShard::forEachAllocation(const Range &range, Count count) {
  if (!lastAllocationVolume_ || range.begin < lastAllocation_.range.begin ||
      range.end > lastAllocation_.range.end) {
    lastAllocation_ = allocations_->entryOf(range.begin);
    lastAllocationVolume_ = &findings_.allocations[lastAllocation_.index];
    if (range.end > lastAllocation_.range.end)
      return allocations_->split(range, [&](std::uint64_t bytes, std::uint32_t index) {
        count(bytes, findings_.allocations[index], index);
      });
  }
  count(range.bytes(), *lastAllocationVolume_, lastAllocation_.index);
}

/// Those that the host can write without a call.
std::uint64_t AddressShard::openBytes(const Range &range) {
  if (!allocations_)
    return range.bytes();
  std::uint64_t open = 0;
  forEachAllocation(range, [&](std::uint64_t bytes, AllocationVolume &, std::uint32_t allocation) {
    open += context_.isOpenToHost[allocation] ? bytes : 0;
  });
  return open;
}

void AddressShard::end() {
  if (traffic_)
    return endTraffic();
  endLateReads();
  const std::vector<RangeSet::Entry> &otherReads = otherReads_.byCta();
  for (std::size_t i = 0; i < otherReads.size(); ++i) {
    prefetchAhead(std::span(otherReads), i, [&](const RangeSet::Entry &ahead, const auto &ask) {
      if (ahead.bytes > kScatteredBytes)
        return;
      ask(memory_, ahead.begin);
      ask(readings_, ahead.begin);
    });
    readOfOtherCta(otherReads[i].cta, otherReads[i].range());
    if (i % 64 == 63)
      spendWork();
  }
  reads_.applyWith(writes_, memory_, readings_,
                   [&](const Range &range, const ReadMark &read, const WriteMark &written, Version &version,
                       Reading &reading) {
                     if (read.ctaAndOne != 0) {
                       if (readOfCta(read.ctaAndOne - 1, range.bytes(), version))
                         markSameIndex(range.bytes(), version, reading);
                       reading.readers &= ~std::uint32_t{kSameIndexNow};
                       loadedAgain(range, read, reading);
                       readOfLaunch(range, read, version, reading);
                     } else if (written.readBack) {
                       countRead(range);
                     }
                     if (written.ctaAndOne != 0) {
                       writtenAfresh(range, version, read.ctaAndOne != 0);
                       write(range, written, version, reading);
                     } else {
                       reading = {act_, read.ctaAndOne - 1, read.site, reading.readers, read.toNext()};
                     }
                   });
  endContributions();
  otherReads_.clear();
  reads_.clear();
  writes_.clear();
  replaced_.clear();
  lastLaunch_ = launch_;
  flush();
}

/// Volumes that count a byte once for each CTA. True: it is one that produced the version, in an earlier
/// launch.
bool AddressShard::readOfCta(std::uint32_t cta, std::uint64_t bytes, const Version &version) {
  if (version.writer == kNoAct)
    return false;
  const DependenceOrder order = orderOf(version.writer);
  bool isOfSameIndex = false;
  for (const std::uint32_t producer : producersOf(version)) {
    addFlow({{Raw, order}, producerOf(version.writer), producer, cta, bytes, 0});
    isOfSameIndex = isOfSameIndex || producer == cta;
  }
  const LaunchIndex source = producingLaunch(version.writer);
  return order == Ordered && source != kHost && isOfSameIndex;
}

/// Once for each launch, and once for the version.
void AddressShard::markSameIndex(std::uint64_t bytes, const Version &version, Reading &reading) {
  if (reading.readers & kSameIndexNow)
    return;
  pairWith(producingLaunch(version.writer)).sameIndex += bytes;
  findings_.sameIndex += reading.readers & kSameIndex ? 0 : bytes;
  reading.readers |= kSameIndex | kSameIndexNow;
}

void AddressShard::readOfOtherCta(std::uint32_t cta, const Range &range) {
  segmentSteps_ += kStepsPerPage;
  memory_.visit(range, [&](const Range &part, const Version &version) {
    segmentSteps_ += kStepsPerSegment;
    if (readOfCta(cta, part.bytes(), version))
      readings_.change(
          part, Shadow<Reading>::Missing::Make,
          [](const Reading &reading) { return !(reading.readers & kSameIndexNow); },
          [&](const Range &bytes, Reading &reading) { markSameIndex(bytes.bytes(), version, reading); });
  });
}

void AddressShard::countRead(const Range &range) {
  volumeOfLaunch().uniqueRead += range.bytes();
  forEachAllocation(
      range, [](std::uint64_t bytes, AllocationVolume &sum, std::uint32_t) { sum.uniqueRead += bytes; });
}

/// Volumes that count a byte once for the launch.
void AddressShard::readOfLaunch(const Range &range, const ReadMark &mark, const Version &version,
                                Reading &reading) {
  countRead(range);
  if (version.writer == kNoAct)
    return;
  if (orderOf(version.writer) != Ordered)
    return versionIsRead(range, version, reading, kUnordered);
  const LaunchIndex source = producingLaunch(version.writer);
  LaunchPair &pair = pairWith(source);
  pair.bytes += range.bytes();
  findings_.ofLastProducer += lacksProducers(version) ? range.bytes() : 0;
  if (const std::uint64_t doubtful = doubtfulBytes(range, version.writer); doubtful != 0) {
    pair.overwritten += doubtful;
    volumeOfLaunch().readOverwritten += doubtful;
  }
  const std::uint32_t launch = kAnyLaunch | (overwritten_        ? Reader{}
                                             : hostMayHaveActed_ ? kSurelyIfClosed
                                                                 : kSurely);
  if (source == kHost) {
    volumeOfLaunch().readFromHost += range.bytes();
    return versionIsRead(range, version, reading, launch);
  }
  const bool other = mark.many() || producersOf(version).size() > 1 || lastCta(version) + 1 != mark.ctaAndOne;
  volumeOfLaunch().readFromLaunches += range.bytes();
  pair.otherIndex += other ? range.bytes() : 0;
  const bool handedOn = other || context_.kernels[source] != context_.kernels[launch_];
  volumeOfLaunch().readHandedOn += handedOn ? range.bytes() : 0;
  versionIsRead(range, version, reading,
                launch | (other ? kOtherIndex : Reader{}) | (handedOn ? kHandedOn : Reader{}));
}

/// Counts what is read for the first time.
void AddressShard::versionIsRead(const Range &range, const Version &version, Reading &reading,
                                 std::uint32_t readers) {
  const std::uint32_t fresh = readers & ~reading.readers;
  if (fresh == 0)
    return;
  constexpr std::uint32_t kLaunch = kAnyLaunch | kUnordered, kAny = kLaunch | kHostCopy;
  if (producingLaunch(version.writer) == kHost && fresh & kLaunch && !(reading.readers & kAny))
    volumeOfCopy(bringerOf(version.writer)).read += range.bytes();
  const std::uint64_t wereCertain = certainBytes(range, reading.readers);
  reading.readers |= readers;
  const LaunchIndex source = producingLaunch(version.writer);
  // What is first read with doubt, and then surely, is sure.
  const std::uint64_t doubted =
      (fresh & kAnyLaunch ? range.bytes() : 0) -
      (certainBytes(range, reading.readers) - wereCertain); // modulo 2^64: sums take back
  if (source == kHost) {
    findings_.hostRead += fresh & kAnyLaunch ? range.bytes() : 0;
    findings_.hostReadOverwritten += doubted;
    return;
  }
  LaunchVolume &volume = findings_.launches[source];
  volume.overwritten += doubted;
  findings_.otherIndex += fresh & kOtherIndex ? range.bytes() : 0;
  if (fresh & kUnordered) {
    findings_.concurrent += range.bytes();
    volume.mayBeRead += range.bytes();
  }
  if (!(fresh & (kAnyLaunch | kHandedOn)))
    return;
  const ShapeBytes written{range.bytes(), firstWritten(context_.shapes[version.shape], range)};
  ShapeFlow &sum = sumAt(shapeFlows_->writes, version.shape);
  if (fresh & kHandedOn) {
    volume.handedOn += range.bytes();
    sum.handedOn += written;
  }
  if (takesNotes_)
    noteWrites(range, version,
               {fresh & kAnyLaunch ? written : ShapeBytes(), fresh & kHandedOn ? written : ShapeBytes()});
  if (!(fresh & kAnyLaunch))
    return;
  volume.readByLaunches += range.bytes();
  for (const std::uint32_t producer : producersOf(version))
    findings_.stored.add({source, producer, range.bytes()});
  sum.communicated += written;
  forEachAllocation(
      range, [](std::uint64_t bytes, AllocationVolume &sum, std::uint32_t) { sum.communicated += bytes; });
}

void AddressShard::write(const Range &range, const WriteMark &mark, Version &version, Reading &reading) {
  LaunchVolume &volume = volumeOfLaunch();
  volume.uniqueWritten += range.bytes();
  forEachAllocation(range, [&](std::uint64_t bytes, AllocationVolume &sum, std::uint32_t allocation) {
    sum.uniqueWritten += bytes;
    if (context_.isOpenToHost[allocation])
      volume.mayBeRead += bytes;
  });
  if (reading.readers == 0)
    overwrittenUnread(range, version);
  const std::uint32_t cta = mark.ctaAndOne - 1, site = siteOf(mark.shape);
  overwritten(range.bytes(), reading, cta, site);
  overwritten(range.bytes(), version, cta, site);
  version = {act_, cta, mark.shape};
  reading = {};
}

/// The present act replaces a version that nobody has read, for certain.
void AddressShard::overwrittenUnread(const Range &range, const Version &version) {
  if (traffic_ || version.writer == kNoAct || version.writer >= kFirstHandedOn ||
      producingLaunch(version.writer) == kHost || orderOf(version.writer) != Ordered || overwritten_ ||
      openBytes(range) != 0)
    return;
  const auto [entry, isNew] =
      findings_.overwrittenUnread.try_emplace(kernelSiteOf(version.writer, siteOf(version.shape)));
  if (isNew)
    keepMore();
  const bool isSameKernel =
      launch_ != kHost && context_.kernels[producingLaunch(version.writer)] == context_.kernels[launch_];
  entry->second += {range.bytes(), isSameKernel ? range.bytes() : 0};
}

/// The present launch writes what the one before had written.
void AddressShard::writtenAfresh(const Range &range, const Version &before, bool isRead) {
  if (traffic_ || lastLaunch_ == kHost || lastLaunch_ + 1 != launch_ || before.writer >= kFirstHandedOn ||
      context_.kernels[lastLaunch_] == context_.kernels[launch_])
    return;
  std::uint64_t bytes = 0;
  if (before.writer != kNoAct && producingLaunch(before.writer) == lastLaunch_)
    bytes = isRead ? 0 : range.bytes();
  else if (replaced_.pages() != 0)
    replaced_.visit(range, [&](const Range &part, std::uint32_t) { bytes += part.bytes(); });
  volumeOfLaunch().writtenAfresh += bytes;
}

/// The present launch reads what `before` had read, and which nobody has written since.
void AddressShard::loadedAgain(const Range &range, const ReadMark &read, const Reading &before) {
  if (traffic_ || before.act == kNoAct)
    return;
  const LaunchIndex first = producingLaunch(before.act);
  if (first == kHost || first + 1 != launch_ || context_.kernels[first] == context_.kernels[launch_] ||
      !context_.hasShapeOfLast[launch_] ||
      !(before.isBy(read.ctaAndOne - 1) || (read.many() && before.isBy(read.otherCtaAndOne - 1))))
    return;
  std::uint64_t bytes = 0;
  forEachAllocation(range, [&](std::uint64_t part, AllocationVolume &, std::uint32_t allocation) {
    bytes += allocation == allocations_->unknown() ? 0 : part;
  });
  if (bytes == 0)
    return;
  const auto [entry, isNew] = findings_.loadedAgain.try_emplace(
      {kernelSiteOf(before.act, before.site), kernelSiteOf(act_, read.site)});
  if (isNew)
    keepMore();
  entry->second += bytes;
}

CopyVolume &AddressShard::volumeOfCopy(Act copy) {
  const auto [entry, isNew] = findings_.copies.try_emplace(copy);
  if (isNew)
    keepMore();
  return entry->second;
}

/// The present act replaces a version: the dependence on who wrote it.
void AddressShard::overwritten(std::uint64_t bytes, const Version &before, std::uint32_t cta,
                               std::uint32_t site) {
  if (before.writer >= kFirstHandedOn) // a copy did
    return depend(Waw, bringerOf(before.writer), 0, 0, bytes, cta, site);
  depend(Waw, before.writer, lastCta(before), siteOfWriter(before), bytes, cta, site);
}

/// On who read it last.
void AddressShard::overwritten(std::uint64_t bytes, const Reading &before, std::uint32_t cta,
                               std::uint32_t site) {
  depend(War, before.act, before.cta, before.site, bytes, cta, site);
}

void AddressShard::depend(DependenceKind kind, Act first, std::uint32_t firstCta, std::uint32_t firstSite,
                          std::uint64_t bytes, std::uint32_t cta, std::uint32_t site) {
  const bool host = context_.ordering.launchOf(first) == kHost;
  if (first == kNoAct || (host && launch_ == kHost))
    return;
  const DependenceClass dependence{kind, orderOf(first)};
  addFlow({dependence, first, firstCta, cta, bytes, 0});
  DependenceVolume &volume = volumeOf(dependence, first, firstSite, site);
  volume.bytes += bytes;
  if (!host && launch_ != kHost)
    (firstCta == cta ? volume.sameIndex : volume.otherIndex) += bytes;
}

/// The host reads what it copies.
void AddressShard::readByCopy(const Range &range, const Version &version) {
  segmentSteps_ += kStepsPerSegment;
  const LaunchIndex source = producingLaunch(version.writer);
  const DependenceOrder order = orderOf(version.writer);
  if (source != kHost) {
    // Copies have the numbers above those of accesses.
    for (const std::uint32_t producer : producersOf(version))
      findings_.crossings.push_back(
          {~static_cast<std::uint64_t>(act_), {Raw, order}, source, kHost, producer, 0});
    volumeOf({Raw, order}, version.writer, siteOfWriter(version), 0).bytes += range.bytes();
  }
  // Of what launches wrote: bytes count when the host reads the version for the first time.
  const std::uint32_t reader =
      source == kHost || order == Ordered ? std::uint32_t{kHostCopy} : std::uint32_t{kUnorderedHostCopy};
  readings_.change(range, Shadow<Reading>::Missing::Make, kAlways, [&](const Range &bytes, Reading &reading) {
    if (source == kHost) {
      if (version.writer != kNoAct && !(reading.readers & (kAnyLaunch | kUnordered | kHostCopy)))
        volumeOfCopy(bringerOf(version.writer)).read += bytes.bytes();
    } else if (!(reader & ~reading.readers)) {
      if (reader == kHostCopy && doubtfulBytes(bytes, version.writer) == 0)
        volumeOfCopy(act_).again += bytes.bytes();
    } else {
      for (const std::uint32_t producer : producersOf(version))
        addFlow({{Raw, order}, producerOf(version.writer), producer, 0, bytes.bytes(), 0});
      LaunchVolume &volume = findings_.launches[source];
      (order == Ordered ? volume.readByHost : volume.mayBeRead) += bytes.bytes();
      findings_.ofLastProducer += order == Ordered && lacksProducers(version) ? bytes.bytes() : 0;
      volume.readByHostOverwritten += order == Ordered ? doubtfulBytes(bytes, version.writer) : 0;
    }
    reading = {act_, 0, 0, reading.readers | reader};
  });
}

void AddressShard::hostReads(Act act, const Range &range, std::shared_ptr<const AllocationMap> allocations) {
  if (memory_.pages() == 0 || traffic_)
    return;
  startAct(act, kHost);
  allocations_ = std::move(allocations);
  const auto read = [&](const Range &part) {
    memory_.visitKnown(part, [&](const Range &known, const Version &version) { readByCopy(known, version); });
  };
  spend(kStepsPerPage * memory_.pagesIn(range));
  if (range.bytes() >> kPageShift >> kShardBits < memory_.pages())
    context_.deal.forEachPart(range, number_, read);
  else // of what could be there, little is
    read(range);
  spendWork();
}

void AddressShard::hostWrites(Act act, const Range &range, std::shared_ptr<const AllocationMap> allocations) {
  startAct(act, kHost);
  allocations_ = std::move(allocations);
  const auto same = context_.sameCopies.find(act);
  context_.deal.forEachPart(range, number_, [&](const Range &part) {
    if (traffic_)
      traffic_->hostWrites(part);
    if (same != context_.sameCopies.end())
      countUnchanged(act, same->second, part);
    replace(part);
  });
}

/// `copy` brings the bytes that `before` brought. They are there still where nobody wrote since.
void AddressShard::countUnchanged(Act copy, Act before, const Range &part) {
  memory_.visit(part, [&](const Range &bytes, const Version &version) {
    if (version.writer == before && doubtfulBytes(bytes, version.writer) == 0)
      volumeOfCopy(copy).unchanged += bytes.bytes();
  });
}

/// The present act is the writer, and nobody has read it yet.
void AddressShard::replace(const Range &part) {
  memory_.visit(part, [&](const Range &bytes, const Version &version) {
    if (!traffic_ && version.writer < kFirstHandedOn && version.writer != kNoAct && lastLaunch_ != kHost &&
        producingLaunch(version.writer) == lastLaunch_)
      replaced_.set(bytes, 1, Shadow<std::uint32_t>::Missing::Make);
    std::uint64_t begin = bytes.begin;
    const auto unreadUpTo = [&](std::uint64_t end) {
      if (begin < end)
        overwrittenUnread({begin, end}, version);
    };
    readings_.visit(bytes, [&](const Range &read, const Reading &) {
      unreadUpTo(read.begin);
      begin = read.end;
    });
    unreadUpTo(bytes.end);
  });
  readings_.visit(
      part, [&](const Range &read, const Reading &reading) { overwritten(read.bytes(), reading, 0, 0); });
  readings_.clear(part);
  memory_.change(part, Shadow<Version>::Missing::Make, kAlways, [&](const Range &bytes, Version &version) {
    overwritten(bytes.bytes(), version, 0, 0);
    version = {act_};
  });
}

/// What launches wrote before the copy is handed on; all else is the host's, as in other copies. Source and
/// destination may overlap: all is read before any is written.
void AddressShard::handOn(Act act, const Move &move, std::shared_ptr<const AllocationMap> allocations) {
  startAct(act, kHost);
  allocations_ = std::move(allocations);
  moved_.clear();
  const std::uint64_t distance = move.destination - move.source.begin; // modulo 2^64
  context_.deal.forEachPart(move.target(), number_, [&](const Range &part) {
    const Range from = accessRange(part.begin - distance, part.bytes());
    std::size_t at = moved_.size();
    memory_.visit(from, [&](const Range &range, const Version &version) {
      // Of one allocation each: what is doubtful is so as a whole.
      std::uint64_t begin = range.begin;
      forEachAllocation(range, [&](std::uint64_t bytes, AllocationVolume &, std::uint32_t) {
        moved_.emplace_back(accessRange(begin, bytes), version);
        begin += bytes;
      });
    });
    segmentSteps_ += kStepsPerPage + kStepsPerSegment * (moved_.size() - at);
    for (; at < moved_.size(); ++at)
      moved_[at].second = readToHandOn(moved_[at].first, moved_[at].second, distance);
    if (traffic_)
      traffic_->willCopy(from, distance);
    spendWork();
  });
  context_.deal.forEachPart(move.target(), number_, [&](const Range &part) {
    if (traffic_)
      traffic_->hostWrites(part);
    replace(part);
  });
  for (const auto &[range, version] : moved_)
    if (version.writer != kNoAct)
      memory_.set(accessRange(range.begin + distance, range.bytes()), version,
                  Shadow<Version>::Missing::Make);
  if (traffic_)
    traffic_->copy();
}

/// What becomes of a version by a copy over `distance`: none, if the copy makes the host its writer.
AddressShard::Version AddressShard::readToHandOn(const Range &range, const Version &version,
                                                 std::uint64_t distance) {
  const LaunchIndex source = producingLaunch(version.writer);
  if (source == kHost || orderOf(version.writer) != Ordered) {
    if (!traffic_)
      readByCopy(range, version);
    return {};
  }
  if (!traffic_) {
    LaunchVolume &volume = findings_.launches[source];
    volume.copied += range.bytes();
    readings_.change(range, Shadow<Reading>::Missing::Make, kAlways,
                     [&](const Range &bytes, Reading &reading) {
                       if (!(reading.readers & kDeviceCopy))
                         volume.mayBeRead += bytes.bytes();
                       reading = {act_, 0, 0, reading.readers | kDeviceCopy};
                     });
    forEachAllocation(accessRange(range.begin + distance, range.bytes()),
                      [](std::uint64_t bytes, AllocationVolume &sum, std::uint32_t) { sum.copied += bytes; });
  }
  return movedBy(range, version, range.begin + distance);
}

/// A version of a launch's, as it is where the present copy has brought it.
AddressShard::Version AddressShard::movedBy(const Range &range, const Version &version,
                                            std::uint64_t destination) {
  const std::uint32_t isDoubtful = !traffic_ && doubtfulBytes(range, version.writer) != 0;
  AccessShape shape = context_.shapes[version.shape];
  if (const std::uint64_t length = std::uint64_t{shape.elementBytes} * shape.elements; length != 0)
    // Its runs begin where they did, as seen from the bytes.
    shape.phase = static_cast<std::uint32_t>(
        (shape.phase + destination % length + (length - range.begin % length)) % length);
  Version moved = version;
  moved.writer = handedOnAs({producerOf(version.writer), act_, isDoubtful});
  if (shape.phase != context_.shapes[version.shape].phase)
    moved.shape = context_.shapes.add(shape);
  return moved;
}

Act AddressShard::handedOnAs(const HandedOn &handed) {
  if (!handedOn_.empty() && handedOn_.back() == handed)
    return writerOfHandedOn(handedOn_.size() - 1);
  const auto [entry, isNew] = numbersOfHandedOn_.try_emplace(handed, writerOfHandedOn(handedOn_.size()));
  if (isNew) {
    context_.limit.keep(2 * sizeof *entry, [] { return std::string("copies on the device"); });
    handedOn_.push_back(handed);
  }
  return entry->second;
}

void AddressShard::hostDone() { flush(); }

} // namespace cupr::analysis

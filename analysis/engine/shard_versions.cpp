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

void AddressShard::end() {
  if (traffic_)
    return endTraffic();
  endLateReads();
  for (const RangeSet::Entry &entry : otherReads_.byCta()) {
    readOfOtherCta(entry.cta, entry.range());
    settleWork();
  }
  reads_.settle(writes_, memory_, readings_,
                [&](const Range &range, const ReadMark &read, const WriteMark &written, Version &version,
                    Reading &reading) {
                  if (read.ctaAndOne != 0) {
                    if (readOfCta(read.ctaAndOne - 1, range.bytes(), version))
                      markSameIndex(range.bytes(), reading);
                    readOfLaunch(range, read, version, reading);
                  } else if (written.readBack) {
                    countRead(range);
                  }
                  if (written.ctaAndOne != 0)
                    write(range, written, version, reading);
                  else
                    reading = {act_, read.ctaAndOne - 1, read.site, reading.readers};
                });
  otherReads_.clear();
  reads_.clear();
  writes_.clear();
  flush();
}

/// Volumes that count a byte once for each CTA. True: it is the one that wrote the version, in an earlier
/// launch.
bool AddressShard::readOfCta(std::uint32_t cta, std::uint64_t bytes, const Version &version) {
  if (version.writer == kNoAct)
    return false;
  const DependenceOrder order = orderOf(version.writer);
  flows_.add({{Raw, order}, version.writer, version.cta, cta, bytes, 0});
  const LaunchIndex source = context_.ordering.launchOf(version.writer);
  if (order != Ordered || source == kHost || version.cta != cta)
    return false;
  pairWith(source).sameIndex += bytes;
  return true;
}

void AddressShard::markSameIndex(std::uint64_t bytes, Reading &reading) {
  if (reading.readers & kSameIndex)
    return;
  findings_.sameIndex += bytes;
  reading.readers |= kSameIndex;
}

void AddressShard::readOfOtherCta(std::uint32_t cta, const Range &range) {
  segmentSteps_ += kStepsPerPage;
  memory_.visit(range, [&](const Range &part, const Version &version) {
    segmentSteps_ += kStepsPerSegment;
    if (readOfCta(cta, part.bytes(), version))
      readings_.change(
          part, Shadow<Reading>::Missing::Make,
          [](const Reading &reading) { return !(reading.readers & kSameIndex); },
          [&](const Range &bytes, Reading &reading) { markSameIndex(bytes.bytes(), reading); });
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
  const LaunchIndex source = context_.ordering.launchOf(version.writer);
  LaunchPair &pair = pairWith(source);
  pair.bytes += range.bytes();
  const bool overwritten = mayBeOverwritten(version.writer);
  if (overwritten) {
    pair.overwritten += range.bytes();
    volumeOfLaunch().readOverwritten += range.bytes();
  }
  const std::uint32_t launch = kAnyLaunch | (overwritten ? Reader{} : kSurely);
  if (source == kHost) {
    volumeOfLaunch().readFromHost += range.bytes();
    return versionIsRead(range, version, reading, launch);
  }
  const bool other = mark.many() || version.cta + 1 != mark.ctaAndOne;
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
  reading.readers |= readers;
  const LaunchIndex source = context_.ordering.launchOf(version.writer);
  // What is first read with doubt, and then surely, is sure.
  const std::uint64_t doubted = (fresh & kAnyLaunch ? range.bytes() : 0) -
                                (fresh & kSurely ? range.bytes() : 0); // modulo 2^64: sums take back
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
  ShapeFlow &sum = sumAt(writesByShape_, version.shape);
  if (fresh & kHandedOn) {
    volume.handedOn += range.bytes();
    sum.handedOn += written;
  }
  if (!(fresh & kAnyLaunch))
    return;
  volume.readByLaunches += range.bytes();
  storedBy(source, version.cta) += range.bytes();
  sum.communicated += written;
  forEachAllocation(
      range, [](std::uint64_t bytes, AllocationVolume &sum, std::uint32_t) { sum.communicated += bytes; });
}

void AddressShard::write(const Range &range, const WriteMark &mark, Version &version, Reading &reading) {
  LaunchVolume &volume = volumeOfLaunch();
  volume.uniqueWritten += range.bytes();
  forEachAllocation(range, [&](std::uint64_t bytes, AllocationVolume &sum, std::uint32_t allocation) {
    sum.uniqueWritten += bytes;
    if (context_.isSeenByHost[allocation])
      volume.mayBeRead += bytes;
  });
  const std::uint32_t cta = mark.ctaAndOne - 1, site = siteOf(mark.shape);
  overwritten(range.bytes(), reading, cta, site);
  overwritten(range.bytes(), version, cta, site);
  version = {act_, cta, mark.shape};
  reading = {};
}

/// The present act replaces a version: the dependence on who wrote it.
void AddressShard::overwritten(std::uint64_t bytes, const Version &before, std::uint32_t cta,
                               std::uint32_t site) {
  depend(Waw, before.writer, before.cta, siteOfWriter(before), bytes, cta, site);
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
  flows_.add({dependence, first, firstCta, cta, bytes, 0});
  DependenceVolume &volume = volumeOf(dependence, first, firstSite, site);
  volume.bytes += bytes;
  if (!host && launch_ != kHost)
    (firstCta == cta ? volume.sameIndex : volume.otherIndex) += bytes;
}

void AddressShard::hostReads(Act act, const Range &range) {
  if (memory_.pages() == 0 || traffic_)
    return;
  startAct(act, kHost);
  const auto read = [&](const Range &part) {
    memory_.visitKnown(part, [&](const Range &known, const Version &version) {
      segmentSteps_ += kStepsPerSegment;
      const LaunchIndex source = context_.ordering.launchOf(version.writer);
      const DependenceOrder order = orderOf(version.writer);
      if (source != kHost) {
        // Copies have the numbers above those of accesses.
        findings_.crossings.push_back({~std::uint64_t{act}, {Raw, order}, source, kHost, version.cta, 0});
        volumeOf({Raw, order}, version.writer, siteOfWriter(version), 0).bytes += known.bytes();
      }
      // Of what launches wrote: bytes count when the host reads the version for the first time.
      const std::uint32_t reader = source == kHost    ? 0
                                   : order == Ordered ? std::uint32_t{kHostCopy}
                                                      : std::uint32_t{kUnorderedHostCopy};
      readings_.change(known, Shadow<Reading>::Missing::Make, kAlways,
                       [&](const Range &bytes, Reading &reading) {
                         if (reader & ~reading.readers) {
                           flows_.add({{Raw, order}, version.writer, version.cta, 0, bytes.bytes(), 0});
                           LaunchVolume &volume = findings_.launches[source];
                           (order == Ordered ? volume.readByHost : volume.mayBeRead) += bytes.bytes();
                           if (order == Ordered && mayBeOverwritten(version.writer))
                             volume.readByHostOverwritten += bytes.bytes();
                         }
                         reading = {act, 0, 0, reading.readers | reader};
                       });
    });
  };
  spend(kStepsPerPage * memory_.pagesIn(range));
  if (range.bytes() >> kPageShift >> kShardBits < memory_.pages())
    forEachPart(range, number_, read);
  else // of what could be there, little is
    read(range);
  settleWork();
}

void AddressShard::hostWrites(Act act, const Range &range) {
  startAct(act, kHost);
  forEachPart(range, number_, [&](const Range &part) {
    if (traffic_)
      traffic_->hostWrites(part);
    readings_.visit(
        part, [&](const Range &read, const Reading &reading) { overwritten(read.bytes(), reading, 0, 0); });
    readings_.clear(part);
    memory_.change(part, Shadow<Version>::Missing::Make, kAlways, [&](const Range &bytes, Version &version) {
      overwritten(bytes.bytes(), version, 0, 0);
      version = {act};
    });
  });
}

void AddressShard::hostDone() { flush(); }

} // namespace cupr::analysis

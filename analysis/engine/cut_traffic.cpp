/// Sums by what changes, and only at the end by cut: of the bytes of a launch, most have one of a few fates.
#include "cut_traffic.h"

#include <tbb/task_arena.h>

namespace cupr::analysis {

void CutTraffic::add(Shadow<DeviceSet> &to, std::uint32_t cta, const Range &range) {
  const DeviceSet added = setOf(cta);
  to.change(
      range, Shadow<DeviceSet>::Missing::Make,
      [&](const DeviceSet &before) { return unite(before, added) != before; },
      [&](const Range &, DeviceSet &set) { set = unite(set, added); });
}

void CutTraffic::fetched(std::uint64_t bytes, DeviceSet readers, LaunchIndex source, std::uint32_t cta,
                         Held &held) {
  if (source == kHost) {
    changes_.add({Change::FetchFromHost, 0, held.holders, readers, bytes});
  } else {
    const DeviceSet writer = sets_.ofCta(source, cta);
    changes_.add({Change::Cross, source, writer, readers, bytes});
    changes_.add({Change::Fetch, 0, held.holders, readers, bytes});
  }
  held.holders = unite(held.holders, readers);
}

void CutTraffic::touched(const Range &range, const AllocationMap &allocations, DeviceSet devices,
                         Held &held) {
  const DeviceSet all = unite(held.touched, devices);
  if (all == held.touched)
    return;
  allocations.split(range, [&](std::uint64_t bytes, std::uint32_t allocation) {
    changes_.add({Change::Touch, allocation, held.touched, all, bytes});
  });
  held.touched = all;
}

std::uint64_t CutTraffic::end() {
  std::uint64_t changes = 0;
  changes_.forEach([&](const Change &change) {
    this->count(change);
    ++changes;
  });
  changes_.clear();
  readers_.clear();
  earlyWriters_.clear();
  if (flows_.size() + memories_.size() > kMostSums)
    tell();
  forgetUnusedSets();
  return changes;
}

void CutTraffic::count(const Change &change) {
  if (change.before == change.after)
    return;
  fetchedOnce_.resize(sums_.cuts.placements().size());
  hostFetchedOnce_.resize(sums_.cuts.placements().size());
  sets_.forEach(change.after, change.before, [&](std::size_t cut, unsigned device) {
    const auto number = static_cast<std::uint32_t>(cut);
    switch (change.kind) {
    case Change::None:
      return;
    case Change::Cross:
      return flows_.add({launch_, change.index, number,
                         static_cast<std::uint16_t>(sets_.deviceOf(change.before, cut)),
                         static_cast<std::uint16_t>(device), change.bytes});
    case Change::Fetch:
      fetchedOnce_[cut] += change.bytes;
      return;
    case Change::FetchFromHost:
      hostFetchedOnce_[cut] += change.bytes;
      return;
    case Change::Touch:
      return memories_.add({number, device, change.index, change.bytes});
    }
  });
}

void CutTraffic::hostWrites(const Range &range) {
  held_.change(
      range, Shadow<Held>::Missing::Skip, [](const Held &held) { return held.holders != 0; },
      [](const Range &, Held &held) { held.holders = 0; });
}

void CutTraffic::willCopy(const Range &source, std::uint64_t distance) {
  held_.visit(source, [&](const Range &range, const Held &held) {
    copied_.emplace_back(accessRange(range.begin + distance, range.bytes()), held.holders);
  });
}

void CutTraffic::copy() {
  for (const auto &[range, holders] : copied_)
    held_.change(
        range, Shadow<Held>::Missing::Make, [&](const Held &held) { return held.holders != holders; },
        [&](const Range &, Held &held) { held.holders = holders; });
  copied_.clear();
}

void CutTraffic::tell() {
  std::lock_guard lock(sums_.mutex);
  // Sums are sorted by several threads: while this one waits for them, it must not begin with another shard,
  // which may want the lock.
  tbb::this_task_arena::isolate([&] {
    flows_.forEach([&](const CutFlow &flow) { sums_.flows.add(flow); });
    memories_.forEach([&](const CutMemory &memory) { sums_.memories.add(memory); });
  });
  flows_.clear();
  memories_.clear();
  for (std::size_t cut = 0; cut < fetchedOnce_.size(); ++cut) {
    sums_.fetchedOnce[cut] += fetchedOnce_[cut];
    sums_.hostFetchedOnce[cut] += hostFetchedOnce_[cut];
  }
  fetchedOnce_.clear();
  hostFetchedOnce_.clear();
}

/// Sets of readers are of no use behind their launch, and scattered ones can be as many as there are bytes.
void CutTraffic::forgetUnusedSets() {
  if (sets_.size() < 2 * usedSets_ + kMostSets)
    return;
  DeviceSets used(sums_.cuts);
  Shadow<Held> kept, unused;
  held_.applyWith(Shadow<Held>(), kept, unused,
                  [&](const Range &, const Held &held, const Held &, Held &to, Held &) {
                    to = {used.taken(sets_, held.holders), used.taken(sets_, held.touched)};
                  });
  held_ = std::move(kept);
  sets_.swap(used);
  usedSets_ = sets_.size();
}

void CutTraffic::save(std::FILE *file) {
  tell();
  earlyWriters_.save(file);
  held_.save(file);
  sets_.save(file);
}

void CutTraffic::load(std::FILE *file) {
  earlyWriters_.load(file);
  held_.load(file);
  sets_.load(file);
}

} // namespace cupr::analysis

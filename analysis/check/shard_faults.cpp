/// MemoryShard: what is told of a launch: races, at once or when all of it is known, and reads of what nobody has written.
#include "memory_shard.h"

#include "devicelib/abi/cluster_address.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::size_t kMostUnwritten = 65536;
/// Of a pair that is pending, about.
constexpr std::uint64_t kBytesPerPair = 160;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

std::uint64_t hashOf(const Moment &moment, std::uint64_t hash) {
  hash = mixed(hash, std::uint64_t{moment.block} << 32 | moment.site);
  return mixed(hash,
               std::uint64_t{moment.clock} << 32 | std::uint64_t{moment.thread} << 16 | moment.acquired);
}

} // namespace

FaultRule MemoryShard::ruleOf(const Moment &first, const Moment &second) {
  if (first.block != second.block)
    return FaultRule::RaceBlocks;
  return first.warp() == second.warp() ? FaultRule::RaceLanes : FaultRule::RaceWarps;
}

FaultPlace MemoryShard::placeOf(const Moment &moment) const {
  return {launch_->index, launch_->act, moment.site, moment.block, moment.thread};
}

/// Whether both store the same, as far as it is known.
bool MemoryShard::isSilent(const Moment &first, const Moment &second) const {
  return first.site == second.site && launch_->module->sites[first.site].storesOneValue;
}

RaceCause MemoryShard::causeOf(const Moment &earlier, const Access &access) {
  const SiteTraits &before = launch_->module->sites[earlier.site];
  if (before.isStrong && access.site->isStrong)
    return RaceCause::NarrowScope;
  if (before.isStrong != access.site->isStrong)
    return RaceCause::OneIsPlain;
  if (earlier.isOfCopy() && earlier.block == access.who.block) {
    Moment issued = earlier;
    issued.clock &= ~Moment::kCopy;
    if (isKnown(issued, access))
      return RaceCause::CopyNotWaited;
  }
  const unsigned lane = earlier.lane();
  if (earlier.block == access.who.block && earlier.warp() == access.who.warp() &&
      earlier.site == access.who.site && earlier.clock == access.who.clock &&
      (access.step->lanes >> lane & 1) != 0) {
    const std::uint64_t there = access.chunk->addressOf(*access.step, lane);
    if (there < access.address + access.bytes &&
        access.address < there + access.chunk->bytesOf(*access.step, lane))
      return RaceCause::OneInstruction;
  }
  return RaceCause::Nothing;
}

void MemoryShard::tellRace(const Moment &earlier, const Access &access) {
  const bool isOneBlock = earlier.block == access.who.block;
  if (!unwritten_.empty() && (isOneBlock || access.site->space == abi::MemorySpace::Shared)) {
    const std::uint32_t bytes = std::min(access.bytes, kCheckPageBytes); // of a copy of many, the first
    for (std::uint64_t word = access.address / 4; word <= (access.address + bytes - 1) / 4; ++word)
      raced_.insert(keyOf(word * 4, access.site->space == abi::MemorySpace::Shared
                                        ? ownerOf(access.who.block, access.address)
                                        : access.who.block));
  }
  if (isOneBlock ? launch_->order->mayHandOverInBlocks() : launch_->module->mayHandOver) {
    const std::uint64_t hash = hashOf(access.who, hashOf(earlier, 0));
    const auto [place, isNew] = pendingPlaces_.try_emplace(hash, pending_.size());
    if (!isNew) {
      ++pending_[place->second].count;
      return;
    }
    if (pending_.size() >= mostBytes_ / 2 / kBytesPerPair) {
      pendingPlaces_.erase(place);
      ++gaps_.pairs;
      return;
    }
    pending_.push_back({earlier, access.who, access.address, access.bytes, causeOf(earlier, access), 1});
    return;
  }
  Fault fault;
  fault.rule = ruleOf(earlier, access.who);
  fault.cause = causeOf(earlier, access);
  fault.isSilent = isSilent(earlier, access.who);
  fault.space = access.site->space;
  fault.count = 1;
  fault.address = access.address;
  fault.bytes = access.bytes;
  fault.place = placeOf(access.who);
  fault.other = placeOf(earlier);
  faults_.add(fault);
}

/// Of memory that a block accesses, in words.
std::uint64_t MemoryShard::keyOf(std::uint64_t address, std::uint32_t block) {
  return abi::offsetOfShared(address) / 4 ^ std::uint64_t{block} << 40;
}

/// Others of the launch may write it, and be waited for, or be raced with: that is seen at its end.
void MemoryShard::tellUnwritten(const Access &access) {
  const std::uint64_t hash =
      mixed(mixed(access.address, std::uint64_t{access.who.block} << 32 | access.who.site), access.bytes);
  const auto [place, isNew] = unwrittenPlaces_.try_emplace(hash, unwritten_.size());
  if (!isNew) {
    ++unwritten_[place->second].count;
    return;
  }
  if (unwritten_.size() == kMostUnwritten) {
    unwrittenPlaces_.erase(place);
    ++gaps_.reads;
    return;
  }
  unwritten_.push_back({access.address, access.bytes, access.who, 1});
}

/// Pairs of accesses that nothing can have ordered.
void MemoryShard::resolve() {
  const LaunchOrder &order = *launch_->order;
  const std::vector<SiteTraits> &sites = launch_->module->sites;
  for (const Pending &pair : pending_) {
    Fault fault;
    fault.rule = ruleOf(pair.first, pair.second);
    fault.cause = pair.cause;
    fault.isSilent = isSilent(pair.first, pair.second);
    fault.space = sites[pair.second.site].space;
    Moment first = order.whenDone(pair.first), second = order.whenDone(pair.second);
    if (first.block != second.block && order.clusters().areTogether(first.block, second.block) &&
        order.mayClusterOrder(first, second))
      continue; // records of arrivals came later
    const bool isThere = order.mayHandOver(first, second), isBack = order.mayHandOver(second, first);
    if (isThere || isBack) {
      if (isThere && isBack)
        continue;
      if (isThere)
        std::swap(first, second);
      // Who had the lock first is not known: it may as well have been the one that is not handed on.
      if (order.areUnderLock(first, second))
        fault.cause =
            order.hasAcquiredLock(first, second) ? RaceCause::LockNoRelease : RaceCause::LockNoAcquire;
      else if (sites[first.site].isRegardless && sites[second.site].isRegardless &&
               order.isBehindLock(first, second))
        fault.cause = RaceCause::BehindLock;
      else
        continue;
    } else if (fault.rule == FaultRule::RaceBlocks && pair.cause == RaceCause::Nothing) {
      if (order.hasAcquired(second) || order.hasAcquired(first))
        fault.cause = RaceCause::NoRelease;
      else if (order.isReleased(first) || order.isReleased(second))
        fault.cause = RaceCause::NoAcquire;
    }
    fault.count = pair.count;
    fault.address = pair.address;
    fault.bytes = pair.bytes;
    fault.place = placeOf(second);
    fault.other = placeOf(first);
    faults_.add(fault);
  }
  pending_.clear();
  pendingPlaces_.clear();
}

std::uint32_t MemoryShard::ownerOf(std::uint32_t block, std::uint64_t address) const {
  const std::optional<std::uint64_t> owner = launch_->order->clusters().ownerOf(block, address);
  return owner ? static_cast<std::uint32_t>(*owner) : block;
}

/// Notes when another block's shared memory was accessed last, by each warp and place of the source: that is what the other must have waited for.
void MemoryShard::noteForeign(std::uint64_t number, const Access &access) {
  if (!launch_->module->isSynchronised || !launch_->betweenBlocks || !launch_->hasAllBlocks ||
      access.site->isRemoteCopy || access.site->bytes == 0)
    return;
  Foreign now{blockOf(number), access.address, access.bytes, access.who, 1};
  std::uint64_t hash = mixed(now.owner, std::uint64_t{access.who.block} << 32 | access.who.site);
  hash = mixed(hash, access.who.warp());
  const auto [found, isNew] = foreign_.try_emplace(hash, now);
  if (isNew) {
    held_ += sizeof(Foreign);
  } else if (found->second.who.clock <= now.who.clock) {
    now.count = found->second.count + 1;
    found->second = now;
  }
}

/// Blocks that nothing keeps from ending before others have accessed their shared memory.
void MemoryShard::confirmOwners() {
  for (const auto &[hash, last] : foreign_) {
    const SiteTraits &site = launch_->module->sites[last.who.site];
    const Places signals =
        site.isStrong && site.writes ? BlockOrder::placeOf(last.address, abi::MemorySpace::Shared) : 0;
    if (launch_->order->mayOutlive(last.owner, last.who, signals))
      continue;
    Fault fault;
    fault.rule = FaultRule::BlockEnded;
    fault.space = abi::MemorySpace::Shared;
    fault.count = last.count;
    fault.address = last.address;
    fault.bytes = last.bytes;
    fault.place = placeOf(last.who);
    faults_.add(fault);
  }
  foreign_.clear();
}

/// What is still not written, or only behind the read and by the reader's own block, in order.
void MemoryShard::confirmUnwritten() {
  for (const Unwritten &read : unwritten_) {
    const abi::MemorySpace space = launch_->module->sites[read.who.site].space;
    const bool isOfCluster = space == abi::MemorySpace::Shared && launch_->order->clusters().areThere();
    const std::uint32_t owner = isOfCluster ? ownerOf(read.who.block, read.address) : read.who.block;
    if (raced_.contains(keyOf(read.address, owner)))
      continue;
    const bool isGlobal = space == abi::MemorySpace::Global;
    if (isGlobal || isOfCluster || launch_->order->mayHandOverInBlocks()) {
      CheckPage &page = pageOf(
          isGlobal ? read.address >> kCheckPageShift
                   : sharedPage(owner, isOfCluster ? abi::offsetOfShared(read.address) : read.address));
      const auto from = static_cast<std::uint32_t>(read.address & (kCheckPageBytes - 1));
      const std::uint32_t cell = from / page.cellBytes;
      const auto isOwn = [&](CellPlane<Moment> &plane) {
        return plane.isThere() && plane.cells()[cell].block == read.who.block;
      };
      const auto isOthers = [&](CellPlane<Moment> &plane) {
        return plane.isThere() && plane.cells()[cell].isSomebody() && !isOwn(plane);
      };
      const auto writers = {&page.written, &page.updated, &page.alsoUpdated};
      const bool isOrdered = !launch_->order->mayHandOverInBlocks() &&
                             std::ranges::any_of(writers, [&](auto *plane) { return isOwn(*plane); }) &&
                             std::ranges::none_of(writers, [&](auto *plane) { return isOthers(*plane); });
      if (isWritten(page, launch_->module->sites[read.who.site], from, read.bytes) && !isOrdered)
        continue;
    }
    Fault fault;
    fault.rule = FaultRule::UninitialisedRead;
    fault.space = space;
    fault.count = read.count;
    fault.address = read.address;
    fault.bytes = read.bytes;
    fault.place = placeOf(read.who);
    faults_.add(fault);
  }
  unwritten_.clear();
  unwrittenPlaces_.clear();
  raced_.clear();
}

} // namespace cupr::analysis

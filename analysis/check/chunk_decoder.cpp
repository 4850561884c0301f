#include "chunk_decoder.h"

#include "devicelib/abi/cluster_address.h"
#include "memory_shard.h"
#include "repeated_blocks.h"

#include <algorithm>
#include <numeric>

namespace cupr::analysis {

namespace {

/// What lies behind an allocation up to here belongs to it and to nobody else.
constexpr std::uint64_t kAllocationUnit = 512;
/// Lanes of one instruction that lie so near behind an allocation of others mean that one.
constexpr std::uint64_t kNear = 65536;
constexpr std::uint64_t kNullPage = 65536;
/// More than any block has.
constexpr std::uint64_t kMostShared = std::uint64_t{1} << 20;

/// Puts `count` things in order of their parts, and inside of a part in their own order. `begins`: where each part's begin, and the end.
template <std::size_t Bounds, class Thing, class PartOf, class ThingOf>
void deal(std::size_t count, std::array<std::uint32_t, Bounds> &begins, std::vector<Thing> &dealt,
          PartOf partOf, ThingOf thingOf) {
  begins.fill(0);
  for (std::uint32_t i = 0; i < count; ++i)
    ++begins[partOf(i) + 1u];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  dealt.resize(count);
  std::array<std::uint32_t, Bounds> next = begins;
  for (std::uint32_t i = 0; i < count; ++i)
    dealt[next[partOf(i)]++] = thingOf(i);
}

} // namespace

void ChunkDecoder::decode(RecordStream &records, const ChunkContext &context, CheckedChunk &chunk) {
  constexpr std::uint64_t kStepsPerRecord = 400;
  chunk.steps.steps.clear();
  chunk.steps.addresses.clear();
  chunk.accesses = chunk.left = 0;
  placed_.clear();
  around_ = {};
  settled_.emplace(*context.written, *context.hostWritten);
  lastAllocation_ = {};
  toOrder_.clear();
  RepeatedBlocks repeated(*context.module, *context.allocations, lifetimes_,
                          model_.launches()[context.launch].launch.order, *settled_);
  if (context.reduced)
    records.reduceRepeats(repeated, *context.reduced);
  while (const Record *record = records.next()) {
    records.spend(kStepsPerRecord);
    add(*record, records.isReduced(), context, chunk);
  }
  chunk.reduced = records.reduced();
  chunk.left = records.left();
  deal(
      placed_.size(), chunk.begins, chunk.pieces, [&](std::uint32_t i) { return placed_[i].shard; },
      [&](std::uint32_t i) { return placed_[i].piece; });
  const std::vector<WarpStep> &steps = chunk.steps.steps;
  deal(
      toOrder_.size(), chunk.orderBegins, chunk.ordered,
      [&](std::uint32_t i) { return orderPartOf(steps[toOrder_[i]].block); },
      [&](std::uint32_t i) { return toOrder_[i]; });
}

void ChunkDecoder::add(const Record &record, bool isReduced, const ChunkContext &context,
                       CheckedChunk &chunk) {
  const abi::WarpAccess &access = record.access;
  const SiteTraits &site = context.module->sites[access.site];
  const bool isOfArray = site.isLocal && context.module->hasArrays;
  if (!site.isAccess && !site.isSynchronisation && !site.isGridArrival && !isOfArray)
    return;
  if (access.cta >= UINT32_MAX)
    throw BadTrace(model_.path() + ": a launch has more than 2^32 CTAs, which the check can't number");
  if (site.isAccess && site.bytes == 0 && access.form != abi::RecordForm::Range)
    return; // of no bytes
  const auto first = static_cast<unsigned>(__builtin_ctz(access.laneMask));
  WarpStep step;
  step.block = static_cast<std::uint32_t>(access.cta);
  step.site = access.site;
  step.lanes = access.laneMask;
  step.warp = access.warp;
  step.base = access.address[first];
  step.stride = access.stride;
  step.bytes = site.bytes;
  if (access.form != abi::RecordForm::Affine) {
    step.addresses = static_cast<std::uint32_t>(chunk.steps.addresses.size());
    chunk.steps.addresses.insert(chunk.steps.addresses.end(), access.address, access.address + abi::kLanes);
    if (access.form == abi::RecordForm::Range) {
      step.bytes = 0;
      chunk.steps.addresses.insert(chunk.steps.addresses.end(), access.bytes, access.bytes + abi::kLanes);
    }
  }
  if (site.hasMask)
    checkMasks(context, chunk, step);
  if (site.isAccess || (isOfArray && (site.reads || site.writes)))
    chunk.accesses += abi::activeLanes(step.lanes);
  if (site.isAccess) {
    checkAddresses(context, chunk, step, site);
  }
  if (isReduced)
    step.knowledge = BlockOrder::kKnowsAll;
  else if (context.module->isSynchronised || context.module->hasArrays)
    toOrder_.push_back(static_cast<std::uint32_t>(chunk.steps.steps.size()));
  chunk.steps.steps.push_back(step);
  if (site.isAccess && !isNothingToFollow(step, site))
    place(context, chunk, step, site);
}

void ChunkDecoder::checkMasks(const ChunkContext &context, const CheckedChunk &chunk, const WarpStep &step) {
  if (step.addresses == WarpStep::kAffine && step.stride == 0 &&
      (step.lanes & ~static_cast<std::uint32_t>(step.base)) == 0)
    return;
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const auto mask = static_cast<std::uint32_t>(chunk.steps.addressOf(step, lane));
    if ((mask >> lane & 1) == 0)
      tell(FaultRule::WarpMask, context, step, lane, accessRange(mask, 0), {});
  }
}

/// Whether the step reads where nothing can come of it.
bool ChunkDecoder::isNothingToFollow(const WarpStep &step, const SiteTraits &site) {
  if (site.isSpeculated)
    return true;
  return site.space == abi::MemorySpace::Global && !site.writes && span_.begin < span_.end &&
         settled_->hold(span_, step.isChecked);
}

void ChunkDecoder::checkAddresses(const ChunkContext &context, CheckedChunk &chunk, WarpStep &step,
                                  const SiteTraits &site) {
  const bool isShared = site.space == abi::MemorySpace::Shared;
  std::uint64_t low = UINT64_MAX, high = 0, bits = 0;
  const auto see = [&](unsigned lane) {
    const Range range = accessRange(chunk.steps.addressOf(step, lane), chunk.steps.bytesOf(step, lane));
    low = std::min(low, range.begin);
    high = std::max(high, range.end);
    bits |= range.begin;
  };
  if (step.addresses != WarpStep::kAffine && step.bytes != 0) {
    const std::uint64_t *const addresses = &chunk.steps.addresses[step.addresses];
    for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
      const std::uint64_t address = addresses[__builtin_ctz(left)];
      low = std::min(low, address);
      high = std::max(high, address);
      bits |= address;
    }
    high = accessRange(high, step.bytes).end;
  } else if (step.addresses == WarpStep::kAffine) {
    see(static_cast<unsigned>(__builtin_ctz(step.lanes)));
    see(static_cast<unsigned>(31 - __builtin_clz(step.lanes)));
    bits |= (step.lanes & (step.lanes - 1)) != 0 ? static_cast<std::uint64_t>(std::int64_t{step.stride}) : 0;
  } else {
    for (std::uint32_t left = step.lanes; left != 0; left &= left - 1)
      see(static_cast<unsigned>(__builtin_ctz(left)));
  }
  span_ = {low, high};
  // Of other blocks' memory, too, somewhere among the lanes.
  step.isOfSystem = isShared && (low < context.systemEnd || high > abi::kSharedWindowMask);
  step.isInPage = low < high && low >> kCheckPageShift == (high - 1) >> kCheckPageShift;
  if ((bits & (site.alignment - 1)) != 0)
    for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint64_t address = chunk.steps.addressOf(step, lane);
      if ((address & (site.alignment - 1)) != 0)
        tell(FaultRule::Misaligned, context, step, lane, accessRange(address, step.bytes), {});
    }
  if (isShared) {
    if (low >= context.sharedBegin && high <= context.sharedEnd)
      return;
    for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      checkShared(context, step, lane,
                  accessRange(chunk.steps.addressOf(step, lane), chunk.steps.bytesOf(step, lane)));
    }
    return;
  }
  if (low < lastAllocation_.range.begin || high > lastAllocation_.range.end)
    lastAllocation_ = context.allocations->entryOf(low);
  const std::uint32_t unknown = context.allocations->unknown();
  const std::uint64_t order = model_.launches()[context.launch].launch.order;
  if (lastAllocation_.index != unknown && high <= lastAllocation_.range.end) {
    step.isChecked = site.reads && !context.hasFailed && lifetimes_.isBlank(lastAllocation_.index, order);
    return;
  }
  bool isAnyKnown = false;
  for (std::uint32_t left = step.lanes; left != 0 && !isAnyKnown; left &= left - 1)
    isAnyKnown =
        context.allocations->entryOf(chunk.steps.addressOf(step, static_cast<unsigned>(__builtin_ctz(left))))
            .index != unknown;
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    checkGlobal(context, step, lane,
                accessRange(chunk.steps.addressOf(step, lane), chunk.steps.bytesOf(step, lane)), isAnyKnown);
  }
}

/// Memory that is in no list may still be there: variables that the host names nowhere, what kernels allocate themselves. So what lies in no
/// allocation is a fault only where that is certain.
void ChunkDecoder::checkGlobal(const ChunkContext &context, const WarpStep &step, unsigned lane,
                               const Range &range, bool isNearOthers) {
  const AllocationMap::Entry entry = context.allocations->entryOf(range.begin);
  const std::uint64_t order = model_.launches()[context.launch].launch.order;
  if (entry.index != context.allocations->unknown()) {
    if (range.end > entry.range.end &&
        context.allocations->entryOf(entry.range.end).index == context.allocations->unknown())
      tell(FaultRule::OutOfBounds, context, step, lane, range, entry.index);
    return;
  }
  if (const std::optional<std::uint32_t> freed = lifetimes_.freed(range.begin, order))
    return tell(FaultRule::UseAfterFree, context, step, lane, range, freed);
  const std::optional<std::uint32_t> below = lifetimes_.endsBelow(range.begin, order);
  const std::uint64_t end =
      below ? model_.allocations()[*below].allocation.address + model_.allocations()[*below].allocation.bytes
            : 0;
  const bool isBehind =
      below && range.begin < (end + kAllocationUnit - 1) / kAllocationUnit * kAllocationUnit;
  if (isBehind || range.begin < kNullPage || context.hasFailedByAddress ||
      (isNearOthers && below && range.begin - end < kNear))
    tell(FaultRule::OutOfBounds, context, step, lane, range, range.begin < kNullPage ? std::nullopt : below);
}

/// The system's bytes are no variable's, but are there: groups of several warps have their barriers in them.
void ChunkDecoder::checkShared(const ChunkContext &context, const WarpStep &step, unsigned lane,
                               const Range &address) {
  if (!context.clusters.areKnown() && context.module->hasClusterBarrier && abi::isOfOtherBlock(address.begin))
    return; // an old trace
  Range range = address;
  if (context.clusters.areThere() && abi::isOfOtherBlock(range.begin)) {
    if (!context.clusters.ownerOf(step.block, range.begin))
      return tell(FaultRule::OutOfBounds, context, step, lane, address, {});
    range = {abi::offsetOfShared(address.begin), abi::offsetOfShared(address.begin) + address.bytes()};
  }
  if (range.end <= context.systemEnd && context.module->sites[step.site].isGeneric)
    return;
  if (range.begin < context.sharedBegin || range.end > context.sharedEnd)
    tell(FaultRule::OutOfBounds, context, step, lane, address, {});
}

/// Whether an access of shared memory is to the system's part, or beyond another block's variables, which was told.
bool ChunkDecoder::isOfNobody(const ChunkContext &context, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t offset = abi::offsetOfShared(address);
  return offset < context.systemEnd || (offset != address && offset + bytes > context.sharedEnd);
}

void ChunkDecoder::tell(FaultRule rule, const ChunkContext &context, const WarpStep &step, unsigned lane,
                        const Range &range, std::optional<std::uint32_t> allocation) {
  Fault fault;
  fault.rule = rule;
  fault.space = context.module->sites[step.site].space;
  fault.count = 1;
  fault.address = range.begin;
  fault.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(range.bytes(), UINT32_MAX));
  fault.place = {context.launch, context.act, step.site, step.block, step.warp * abi::kLanes + lane};
  fault.allocation = allocation;
  faults_.add(fault);
}

void ChunkDecoder::put(std::uint64_t page, std::uint32_t step, std::uint32_t lanes) {
  placed_.push_back({static_cast<std::uint8_t>(MemoryShard::shardOf(page)), {page, step, lanes}});
}

void ChunkDecoder::putGlobal(const ChunkContext &context, std::uint64_t page, const WarpStep &step,
                             std::uint32_t number, std::uint32_t lanes) {
  if (!around_.pages.hold(page, page))
    around_ = context.written->at(page);
  if (around_.areWritten)
    put(page, number, lanes);
  else if (step.isChecked)
    put(page | MemoryShard::kOnlyRead, number, lanes);
}

/// Those whose places in shared memory are some: nothing is said of the system's, and of what is beyond another block's variables enough.
std::uint32_t ChunkDecoder::lanesInShared(const ChunkContext &context, const ChunkSteps &chunk,
                                          const WarpStep &step) const {
  if (!step.isOfSystem && span_.end <= kMostShared)
    return step.lanes;
  std::uint32_t lanes = 0;
  for (std::uint32_t left = step.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const std::uint64_t address = chunk.addressOf(step, lane), bytes = chunk.bytesOf(step, lane);
    const std::uint64_t offset = context.clusters.areThere() ? abi::offsetOfShared(address) : address;
    if (!isOfNobody(context, address, bytes) && accessRange(offset, bytes).end <= kMostShared)
      lanes |= 1u << lane;
  }
  return lanes;
}

/// A piece for each block whose shared memory it is.
void ChunkDecoder::placeShared(const ChunkContext &context, const ChunkSteps &chunk, const WarpStep &step,
                               std::uint32_t number) {
  std::uint32_t left = lanesInShared(context, chunk, step);
  if (!context.clusters.areThere()) {
    if (left != 0)
      put(MemoryShard::sharedPage(step.block, 0), number, left);
    return;
  }
  const auto ownerOf = [&](std::uint32_t lanes) {
    return context.clusters.ownerOf(step.block,
                                    chunk.addressOf(step, static_cast<unsigned>(__builtin_ctz(lanes))));
  };
  while (left != 0) {
    const std::optional<std::uint64_t> owner = ownerOf(left);
    std::uint32_t its = 0;
    for (std::uint32_t others = left; others != 0; others &= others - 1)
      if (ownerOf(others) == owner)
        its |= others & -others;
    left &= ~its;
    if (owner)
      put(MemoryShard::sharedPage(static_cast<std::uint32_t>(*owner), 0), number, its);
  }
}

void ChunkDecoder::place(const ChunkContext &context, CheckedChunk &chunk, const WarpStep &step,
                         const SiteTraits &site) {
  constexpr std::uint64_t kStepsPerPage = 1000;
  const auto number = static_cast<std::uint32_t>(chunk.steps.steps.size() - 1);
  for (std::uint32_t left = step.bytes > kCheckPageBytes || step.bytes == 0 ? step.lanes : 0; left != 0;
       left &= left - 1)
    model_.limit().spend(
        kStepsPerPage *
            (chunk.steps.bytesOf(step, static_cast<unsigned>(__builtin_ctz(left))) >> kCheckPageShift),
        [&] { return std::string("an access of many pages"); });
  if (site.space == abi::MemorySpace::Shared)
    return placeShared(context, chunk.steps, step, number);
  forPagesOf(chunk.steps, step, step.lanes,
             [&](std::uint64_t page, std::uint32_t lanes) { putGlobal(context, page, step, number, lanes); });
}

} // namespace cupr::analysis

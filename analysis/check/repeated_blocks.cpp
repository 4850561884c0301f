#include "repeated_blocks.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cupr::analysis {

namespace {

/// More different shifts are not looked at.
constexpr std::size_t kMostMoving = 16;

/// From the first to the last byte of its lanes.
Range spanOf(const abi::WarpAccess &access, std::uint32_t bytes) {
  std::uint64_t low = UINT64_MAX, high = 0;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
    const std::uint64_t address = access.address[std::countr_zero(left)];
    low = std::min(low, address);
    high = std::max(high, address);
  }
  return {low, accessRange(high, bytes).end};
}

/// The same of lanes that are `stride` apart, the lowest one at `base`.
Range spanOf(const abi::RecordHead &head, std::int32_t stride, std::uint32_t bytes) {
  const int lanes = 31 - std::countl_zero(head.laneMask) - std::countr_zero(head.laneMask);
  const std::uint64_t last = head.base + static_cast<std::uint64_t>(std::int64_t{stride} * lanes);
  return {std::min(head.base, last), accessRange(std::max(head.base, last), bytes).end};
}

/// With what it becomes in `others` more blocks; nothing, if that leaves the numbers that there are.
Range widened(const Range &range, std::int64_t shift, std::uint64_t others) {
  std::int64_t way = 0;
  if (__builtin_mul_overflow(shift, static_cast<std::int64_t>(others), &way))
    return {};
  std::uint64_t moved = 0;
  if (shift < 0)
    return __builtin_sub_overflow(range.begin, 0 - static_cast<std::uint64_t>(way), &moved)
               ? Range{}
               : Range{moved, range.end};
  return __builtin_add_overflow(range.end, static_cast<std::uint64_t>(way), &moved)
             ? Range{}
             : Range{range.begin, moved};
}

} // namespace

std::uint64_t RepeatedBlocks::move(std::int64_t shift, const Range &range, std::uint64_t base) {
  const auto found = std::ranges::find(moving_, shift, &Moving::shift);
  if (found == moving_.end()) {
    moving_.push_back({shift, range, base});
    return 0;
  }
  found->range = {std::min(found->range.begin, range.begin), std::max(found->range.end, range.end)};
  return base - found->first;
}

/// Who made it, of how many, and, behind the head, how its lanes lie to each other.
void RepeatedBlocks::say(std::span<const trace::Word> record, const abi::RecordHead &head, std::uint64_t base,
                         std::int64_t shift) {
  said_.push_back(std::uint64_t{head.laneMask} << 32 | head.siteAndForm);
  said_.push_back(std::uint64_t{abi::warpOf(head.where)} << 32 | head.shape);
  said_.push_back(base);
  said_.push_back(static_cast<std::uint64_t>(shift));
  const std::size_t before = said_.size();
  const std::size_t more = (record.size() - abi::kHeadWords) * sizeof(trace::Word) / sizeof(std::uint64_t);
  said_.resize(before + more);
  if (more != 0)
    std::memcpy(&said_[before], &record[abi::kHeadWords], more * sizeof(std::uint64_t));
}

void RepeatedBlocks::begin(std::uint64_t others) {
  others_ = others;
  moving_.clear();
  said_.assign(2, 0);
}

bool RepeatedBlocks::add(std::span<const trace::Word> words, std::span<const std::int64_t> shifts,
                         ReducedBlock &kept) {
  abi::WarpAccess access;
  std::size_t number = 0;
  for (std::size_t at = 0; at < words.size(); ++number) {
    std::uint32_t size = 0;
    abi::RecordHead head;
    const trace::Word *const record = &words[at];
    if (abi::decodeHead(record, words.size() - at, access, head, size) != abi::RecordStatus::Access)
      return false;
    at += size;
    const SiteTraits &site = module_.sites[access.site];
    const std::int64_t shift = shifts[number];
    const bool isInside = !site.isAccess || site.space == abi::MemorySpace::Shared;
    if (isInside && shift != 0) // another barrier, or another place in shared memory
      return false;
    const std::span<const trace::Word> itself(record, size);
    if (isInside) {
      kept.left += site.isAccess ? abi::activeLanes(access.laneMask) : 0;
      say(itself, head, head.base, 0);
      continue;
    }
    const bool isAffine = access.form == abi::RecordForm::Affine;
    if (site.bytes == 0 || access.form == abi::RecordForm::Range ||
        (!isAffine && abi::decodeAddresses(record, head, access) != abi::RecordStatus::Access))
      return false;
    const Range range = widened(
        isAffine ? spanOf(head, access.stride, site.bytes) : spanOf(access, site.bytes), shift, others_);
    if (range.begin >= range.end || static_cast<std::uint64_t>(shift) % site.alignment != 0)
      return false;
    if (range.begin < allocation_.range.begin || range.end > allocation_.range.end)
      allocation_ = allocations_.entryOf(range.begin);
    if (allocation_.index == allocations_.unknown() || range.end > allocation_.range.end)
      return false;
    if (!site.writes && settled_.hold(range, lifetimes_.isBlank(allocation_.index, launchOrder_))) {
      kept.left += abi::activeLanes(access.laneMask);
      say(itself, head, head.base % site.alignment, shift);
      continue;
    }
    const std::uint64_t place = move(shift, range, head.base);
    if (moving_.size() > kMostMoving)
      return false;
    say(itself, head, place, shift);
    said_.push_back(head.base % site.alignment);
    kept.words.insert(kept.words.end(), record, record + size);
    kept.shifts.push_back(shift);
  }
  const XXH128_hash_t hash = XXH3_128bits(said_.data(), said_.size() * sizeof(std::uint64_t));
  said_.assign({hash.low64, hash.high64});
  return true;
}

/// Whether what moves on by so much never comes to what moves on by another.
bool RepeatedBlocks::end(ReducedBlock &kept) {
  kept.inside = {said_[0], said_[1]};
  std::ranges::sort(moving_, {}, [](const Moving &each) { return each.range.begin; });
  return std::ranges::adjacent_find(moving_, [](const Moving &one, const Moving &next) {
           return next.range.begin < one.range.end;
         }) == moving_.end();
}

} // namespace cupr::analysis

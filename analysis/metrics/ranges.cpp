/// Sorting and merging.
#include "ranges.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

bool before(const Range &a, const Range &b) { return a.begin < b.begin; }

} // namespace

bool WarpRanges::setCoalesced(const Record &record) {
  const abi::WarpAccess &access = record.access;
  const std::uint64_t bytes = record.site->bytes;
  const auto first = static_cast<unsigned>(__builtin_ctz(access.laneMask));
  const std::uint64_t present = access.laneMask >> first;
  if (access.form != abi::RecordForm::Affine || bytes == 0 || access.stride < 0 ||
      static_cast<std::uint64_t>(access.stride) != bytes || (present & (present + 1)) != 0)
    return false;
  laneCount_ = abi::activeLanes(access.laneMask);
  const std::uint64_t begin = access.address[first];
  if (laneCount_ * bytes > UINT64_MAX - begin)
    return false;
  merged_[0] = {begin, begin + laneCount_ * bytes};
  mergedCount_ = 1;
  coalesced_ = bytes;
  return true;
}

void WarpRanges::set(const Record &record) {
  if (setCoalesced(record))
    return;
  coalesced_ = 0;
  laneCount_ = 0;
  bool ascending = true;
  for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const Range range =
        accessRange(record.access.address[lane], abi::laneBytes(record.access, lane, record.site->bytes));
    ascending = ascending && (laneCount_ == 0 || lanes_[laneCount_ - 1].begin <= range.begin);
    lanes_[laneCount_++] = range;
  }
  if (!ascending)
    std::sort(lanes_.begin(), lanes_.begin() + laneCount_, before);
  mergedCount_ = 0;
  for (unsigned i = 0; i < laneCount_; ++i) {
    if (lanes_[i].bytes() == 0)
      continue;
    if (mergedCount_ != 0 && lanes_[i].begin <= merged_[mergedCount_ - 1].end)
      merged_[mergedCount_ - 1].end = std::max(merged_[mergedCount_ - 1].end, lanes_[i].end);
    else
      merged_[mergedCount_++] = lanes_[i];
  }
}

unsigned WarpRanges::lanesIn(std::span<const Range> ranges) const {
  unsigned count = 0;
  auto range = ranges.begin();
  for (unsigned i = 0; i < laneCount_; ++i) {
    // Lanes ascend, so ranges that end before one can't meet the next.
    const Range bytes = lane(i);
    while (range != ranges.end() && range->end <= bytes.begin)
      ++range;
    if (range == ranges.end())
      break;
    count += range->begin < bytes.end;
  }
  return count;
}

void RangeSet::compact() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
    return a.cta != b.cta ? a.cta < b.cta : a.range.begin < b.range.begin;
  });
  std::size_t kept = 0;
  for (const Entry &entry : entries_) {
    if (kept != 0 && entries_[kept - 1].cta == entry.cta && entry.range.begin <= entries_[kept - 1].range.end)
      entries_[kept - 1].range.end = std::max(entries_[kept - 1].range.end, entry.range.end);
    else
      entries_[kept++] = entry;
  }
  entries_.resize(kept);
  limit_ = std::max<std::size_t>(1u << 21, 2 * kept); // sorting must pay off
}

const std::vector<RangeSet::Entry> &RangeSet::byCta() {
  compact();
  return entries_;
}

std::vector<Range> RangeSet::takeUnion() {
  for (Entry &entry : entries_)
    entry.cta = 0;
  compact();
  std::vector<Range> ranges;
  ranges.reserve(entries_.size());
  for (const Entry &entry : entries_)
    ranges.push_back(entry.range);
  entries_.clear();
  return ranges;
}

} // namespace cupr::analysis

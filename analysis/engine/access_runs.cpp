/// From what is known best to what holds always: of Affine and Rows records nobody looks at single lanes;
/// others are sorted by address, if they aren't yet; and only lanes of different sizes are sorted by both.
#include "access_runs.h"

#include "lane_sort.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

struct Lane {
  std::uint64_t address, bytes;
  friend auto operator<=>(const Lane &, const Lane &) = default;
};

Lane laneOf(const Record &record, unsigned lane) {
  const Range range =
      accessRange(record.access.address[lane], abi::laneBytes(record.access, lane, record.site->bytes));
  return {range.begin, range.bytes()};
}

/// Calls `visitor(Range)` for the union of the runs, which ascend by begin.
template <typename Visitor> void forEachMerged(std::span<const AccessRun> runs, Visitor visitor) {
  Range merged;
  for (const AccessRun &run : runs) {
    const Range range = run.range();
    if (merged.bytes() != 0 && range.begin <= merged.end) {
      merged.end = std::max(merged.end, range.end);
      continue;
    }
    if (merged.bytes() != 0)
      visitor(merged);
    merged = range;
  }
  if (merged.bytes() != 0)
    visitor(merged);
}

} // namespace

std::span<const AccessRun> AccessRuns::of(const Record &record) {
  if (!setAffine(record) && !setRows(record) && !setOfOneSize(record))
    setOfAnySize(record);
  return {runs_.data(), count_};
}

bool AccessRuns::setAffine(const Record &record) {
  count_ = 0;
  const abi::WarpAccess &access = record.access;
  const std::uint64_t bytes = record.site->bytes;
  const auto first = static_cast<unsigned>(std::countr_zero(access.laneMask));
  const std::uint64_t present = access.laneMask >> first;
  if (access.form != abi::RecordForm::Affine || bytes == 0)
    return false;
  const std::uint32_t lanes = abi::activeLanes(access.laneMask);
  const std::uint64_t base = access.address[first];
  if (bytes > UINT64_MAX - base)
    return false;
  if (access.stride == 0 || lanes == 1) {
    runs_[count_++] = {base, bytes, 1, lanes};
    return true;
  }
  if ((present & (present + 1)) != 0 || std::int64_t{access.stride} != static_cast<std::int64_t>(bytes) ||
      lanes * bytes > UINT64_MAX - base)
    return false;
  runs_[count_++] = {base, bytes, lanes, 1};
  return true;
}

/// The rows of a two-dimensional block, each a run. Gives up, with false, where they aren't.
bool AccessRuns::setRows(const Record &record) {
  count_ = 0;
  const abi::WarpAccess &access = record.access;
  const std::uint64_t bytes = record.site->bytes;
  if (access.form != abi::RecordForm::Rows || bytes == 0)
    return false;
  const abi::RowsShape rows(access.shape);
  if (rows.stride != static_cast<std::int64_t>(bytes) || rows.pitch < static_cast<std::int64_t>(bytes)
                                                                          << rows.widthLog2)
    return false;
  for (std::uint32_t left = access.laneMask; left != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    const unsigned end = (first >> rows.widthLog2 << rows.widthLog2) + (1u << rows.widthLog2);
    const std::uint64_t row = std::uint64_t{left} & ((std::uint64_t{1} << end) - 1), present = row >> first;
    const auto elements = static_cast<std::uint32_t>(std::popcount(row));
    const std::uint64_t address = access.address[first];
    if ((present & (present + 1)) != 0 || elements * bytes > UINT64_MAX - address ||
        (count_ != 0 && address < runs_[count_ - 1].range().end))
      return false;
    add(address, bytes, elements, 1);
    left ^= static_cast<std::uint32_t>(row);
  }
  return true;
}

/// Gives up, with false, where lanes have different sizes, or leave the address space.
bool AccessRuns::setOfOneSize(const Record &record) {
  count_ = 0;
  const abi::WarpAccess &access = record.access;
  const std::uint64_t bytes = record.site->bytes;
  if (access.form == abi::RecordForm::Range)
    return false;
  if (bytes == 0)
    return true;
  LaneAddresses addresses;
  unsigned count = 0;
  bool ascends = true;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1) {
    addresses[count] = access.address[std::countr_zero(left)];
    ascends = ascends && (count == 0 || addresses[count - 1] <= addresses[count]);
    ++count;
  }
  if (!ascends) {
    std::fill(addresses.begin() + count, addresses.end(), UINT64_MAX);
    sortLanes(addresses);
  }
  if (addresses[count - 1] > UINT64_MAX - bytes)
    return false;
  for (unsigned i = 0; i < count;) {
    const unsigned first = i;
    while (i < count && addresses[i] == addresses[first])
      ++i;
    add(addresses[first], bytes, 1, i - first);
  }
  return true;
}

void AccessRuns::setOfAnySize(const Record &record) {
  count_ = 0;
  std::array<Lane, abi::kLanes> lanes;
  unsigned count = 0;
  for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1) {
    lanes[count] = laneOf(record, static_cast<unsigned>(std::countr_zero(left)));
    count += lanes[count].bytes != 0;
  }
  std::sort(lanes.begin(), lanes.begin() + count);
  for (unsigned i = 0; i < count;) {
    unsigned next = i + 1;
    while (next < count && lanes[next] == lanes[i])
      ++next;
    add(lanes[i].address, lanes[i].bytes, 1, next - i);
    i = next;
  }
}

void AccessRuns::add(std::uint64_t address, std::uint64_t bytes, std::uint32_t elements,
                     std::uint32_t threads) {
  std::uint64_t jump = AccessRun::kNoJump;
  if (count_ != 0) {
    AccessRun &last = runs_[count_ - 1];
    if (last.elementBytes == bytes && last.threads == threads && last.range().end == address) {
      last.elements += elements;
      return;
    }
    jump = address - (last.begin + (last.elements - 1) * last.elementBytes);
  }
  runs_[count_++] = {address, bytes, elements, threads, jump};
}

std::uint64_t AccessRuns::distinctBytes(std::span<const AccessRun> runs) {
  std::uint64_t bytes = 0;
  forEachMerged(runs, [&](const Range &range) { bytes += range.bytes(); });
  return bytes;
}

std::uint64_t AccessRuns::sectors(std::span<const AccessRun> runs) {
  std::uint64_t count = 0, next = 0; // sectors below `next` are counted
  forEachMerged(runs, [&](const Range &range) {
    const std::uint64_t first = std::max(range.begin / kSectorBytes, next);
    const std::uint64_t end = (range.end - 1) / kSectorBytes + 1;
    count += end > first ? end - first : 0;
    next = std::max(next, end);
  });
  return count;
}

} // namespace cupr::analysis

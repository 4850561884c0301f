#include "request_lines.h"

#include "requests.h"

#include <algorithm>

namespace cupr::analysis {

void RequestLines::begin(const Record &record) {
  bytes_ = record.site->bytes;
  largest_ = largestPart(record);
  isWhole_ = isOneRequest(bytes_, largest_);
  offset_ = 0;
  isDone_ = false;
}

bool RequestLines::takePart(std::span<const AccessRun> runs) {
  if (isDone_)
    return false;
  lines_.clear();
  seen_ = coveredBytes_ = 0;
  if (isWhole_) {
    isDone_ = true;
    for (const AccessRun &run : runs)
      add(run.range().begin, run.range().end);
    return true;
  }
  const std::uint64_t part = nextPart(largest_, bytes_ - offset_);
  for (const AccessRun &run : runs)
    for (std::uint32_t i = 0; i < run.elements; ++i) {
      const std::uint64_t element = run.begin + i * run.elementBytes;
      if (offset_ < run.elementBytes) // not one that ends with the address space
        add(element + offset_, element + std::min(offset_ + part, run.elementBytes));
    }
  offset_ += part;
  isDone_ = offset_ == bytes_;
  return true;
}

/// Ranges come by ascending begin.
void RequestLines::add(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t at = std::max(begin, seen_);
  for (std::uint64_t sector = begin / kSectorBytes; sector <= (end - 1) / kSectorBytes; ++sector) {
    const std::uint64_t line = sector / kSectorsPerLine;
    const auto bit = static_cast<std::uint8_t>(1u << sector % kSectorsPerLine);
    if (lines_.empty() || lines_.back().line != line)
      lines_.push_back({line, 0, 0});
    LineSectors &last = lines_.back();
    if (!(last.sectors & bit))
      coveredBytes_ = 0;
    last.sectors |= bit;
    const std::uint64_t until = std::min(end, (sector + 1) * kSectorBytes);
    if (until > at) {
      coveredBytes_ += until - at;
      at = until;
    }
    if (coveredBytes_ == kSectorBytes)
      last.complete |= bit;
  }
  seen_ = std::max(seen_, end);
}

} // namespace cupr::analysis

/// Nearly all accesses are one request, and their runs say all. The others are looked at part by part.
#include "requests.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kWidest = 16; ///< of an instruction, in bytes

std::uint64_t sectorsOf(std::uint64_t bytes) { return (bytes + kSectorBytes - 1) / kSectorBytes; }

/// One request: the bytes [offset, offset + bytes) of each element.
class PartFigures {
public:
  PartFigures(std::uint64_t offset, std::uint64_t bytes) : offset_(offset), bytes_(bytes) {}

  /// Elements come by ascending address.
  void add(std::uint64_t element, std::uint64_t elementBytes) {
    if (offset_ >= elementBytes) // one that ends with the address space
      return;
    const std::uint64_t begin = element + offset_, end = begin + std::min(bytes_, elementBytes - offset_);
    const std::uint64_t fresh = std::max(begin, seen_);
    distinct_ += end > fresh ? end - fresh : 0;
    seen_ = std::max(seen_, end);
    const std::uint64_t first = std::max(begin / kSectorBytes, nextSector_);
    const std::uint64_t last = (end - 1) / kSectorBytes + 1;
    sectors_ += last > first ? last - first : 0;
    nextSector_ = std::max(nextSector_, last);
  }
  std::uint64_t sectors() const { return sectors_; }
  std::uint64_t leastSectors() const { return sectorsOf(distinct_); }

private:
  const std::uint64_t offset_, bytes_;
  std::uint64_t distinct_ = 0, seen_ = 0;      ///< bytes below `seen_` are counted
  std::uint64_t sectors_ = 0, nextSector_ = 0; ///< likewise
};

} // namespace

std::uint64_t largestPart(const Record &record) {
  const unsigned noted = record.site->flags >> abi::kSitePartShift & abi::kSitePartMask;
  const std::uint64_t bytes = record.site->bytes;
  if (noted == abi::kSiteWhole || record.access.form == abi::RecordForm::Range || bytes > kMostSplit)
    return 0;
  if (noted != 0)
    return std::min(kWidest, std::uint64_t{1} << (noted - 1));
  std::uint64_t addresses = kWidest;
  for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1)
    addresses |= record.access.address[std::countr_zero(left)];
  return addresses & -addresses;
}

std::uint64_t nextPart(std::uint64_t largest, std::uint64_t left) {
  return std::min(largest, std::bit_floor(left));
}

RequestFigures requestsOf(const Record &record, std::span<const AccessRun> runs) {
  const std::uint64_t bytes = record.site->bytes, largest = largestPart(record);
  if (isOneRequest(bytes, largest))
    return {1, AccessRuns::sectors(runs), sectorsOf(AccessRuns::distinctBytes(runs))};
  const auto add = [&](RequestFigures &figures, std::uint64_t offset, std::uint64_t part,
                       std::uint64_t times) {
    PartFigures request(offset, part);
    for (const AccessRun &run : runs)
      for (std::uint32_t i = 0; i < run.elements; ++i)
        request.add(run.begin + i * run.elementBytes, run.elementBytes);
    figures.requests += times;
    figures.sectors += times * request.sectors();
    figures.leastSectors += times * request.leastSectors();
  };
  RequestFigures figures;
  std::uint64_t offset = 0;
  // Parts of one size whose offsets differ by whole sectors lie alike in their sectors, and count the same.
  const std::uint64_t equal = bytes / largest, perSector = kSectorBytes / largest;
  const bool areWhole =
      std::ranges::all_of(runs, [&](const AccessRun &run) { return run.elementBytes == bytes; });
  if (areWhole && equal > perSector) {
    for (std::uint64_t i = 0; i < perSector; ++i)
      add(figures, i * largest, largest, (equal - i + perSector - 1) / perSector);
    offset = equal * largest;
  }
  while (offset < bytes) {
    const std::uint64_t part = nextPart(largest, bytes - offset);
    add(figures, offset, part, 1);
    offset += part;
  }
  return figures;
}

RequestFigures localRequestsOf(const Record &record) {
  constexpr std::uint64_t kWordBytes = 4;
  constexpr unsigned kThreadsOfSector = kSectorBytes / kWordBytes;
  const std::uint64_t bytes = record.site->bytes, largest = largestPart(record);
  if (largest == 0) { // a copy of many bytes
    const std::uint64_t sectors = sectorsOf(abi::recordBytes(record.access, bytes));
    return {1, sectors, sectors};
  }
  RequestFigures figures;
  for (std::uint64_t offset = 0; offset < bytes;) {
    const std::uint64_t part = nextPart(largest, bytes - offset);
    std::vector<std::pair<std::uint64_t, unsigned>> sectors; // word and threads of it
    unsigned lanesOfSectors = 0;                             // a bit for each eight threads
    for (std::uint32_t left = record.access.laneMask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t begin = record.access.address[lane] + offset;
      for (std::uint64_t word = begin / kWordBytes; word <= (begin + part - 1) / kWordBytes; ++word)
        sectors.emplace_back(word, lane / kThreadsOfSector);
      lanesOfSectors |= 1u << lane / kThreadsOfSector;
    }
    std::ranges::sort(sectors);
    ++figures.requests;
    figures.sectors += static_cast<std::uint64_t>(std::ranges::unique(sectors).begin() - sectors.begin());
    figures.leastSectors +=
        static_cast<std::uint64_t>(std::popcount(lanesOfSectors)) * ((part + kWordBytes - 1) / kWordBytes);
    offset += part;
  }
  return figures;
}

} // namespace cupr::analysis

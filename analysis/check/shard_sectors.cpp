/// MemoryShard: pages that are accessed sector by sector, as most are.
#include "memory_shard.h"

#include <algorithm>
#include <span>
#include <utility>

namespace cupr::analysis {

namespace {

/// Planes of sectors that the next launch may take over.
constexpr std::size_t kMostLeftSectors = 1024;

/// `moment`, which is of a sector's first lane, as it is of one that lies `bytes` bytes further on.
Moment further(Moment moment, std::uint32_t bytes, std::uint32_t bytesOfLane) {
  moment.thread = static_cast<std::uint16_t>(moment.thread + bytes / bytesOfLane);
  return moment;
}

} // namespace

/// Which sectors of the page these lanes access, and that they do it so that each lane's place follows from the first one's. False: they do not.
bool MemoryShard::findSectors(const Access &access, std::uint32_t lanes, Sectors &sectors) const {
  const WarpStep &step = *access.step;
  const bool isAffine = step.addresses == WarpStep::kAffine;
  if (step.bytes == 0 || step.bytes > 16 || (step.bytes & (step.bytes - 1)) != 0 || step.moreLanes != 0 ||
      (access.site->isStrong && !access.site->writes) || access.who.isOfCopy() ||
      launch_->module->hasGridBarrier || (isAffine && step.stride != static_cast<std::int32_t>(step.bytes)))
    return false;
  const unsigned together = kSectorBytes / step.bytes; // lanes
  const std::uint32_t group = together == abi::kLanes ? ~0u : (1u << together) - 1;
  sectors.count = 0;
  std::uint64_t seen = 0;
  for (unsigned lane = 0; lane < abi::kLanes; lane += together) {
    const std::uint32_t its = lanes >> lane & group;
    if (its == 0)
      continue;
    const std::uint64_t address = access.chunk->addressOf(step, lane);
    if (its != group || address % kSectorBytes != 0)
      return false;
    for (unsigned other = 1; !isAffine && other < together; ++other)
      if (access.chunk->addressOf(step, lane + other) != address + std::uint64_t{other} * step.bytes)
        return false;
    const auto sector = static_cast<std::uint8_t>((address & (kCheckPageBytes - 1)) / kSectorBytes);
    if ((seen >> sector & 1) != 0) // two groups of lanes may race
      return false;
    seen |= std::uint64_t{1} << sector;
    sectors.each[sectors.count++] = {sector, static_cast<std::uint8_t>(lane)};
  }
  return true;
}

/// Of how many of a sector's lanes it is known that what they meet there happens before.
MemoryShard::Knows MemoryShard::knowSector(const Moment &earlier, const Access &access) {
  if (isKnownByAll(earlier, access))
    return Knows::All;
  if (earlier.block != access.who.block)
    return Knows::None; // there is no barrier of the grid
  const std::uint32_t earlierBytes = launch_->module->sites[earlier.site].bytes, bytes = access.step->bytes;
  if (earlier.thread == access.who.thread && earlierBytes == bytes)
    return Knows::All;
  std::uint32_t known = 0, all = 0;
  Access ofLane = access;
  for (std::uint32_t at = 0; at < kSectorBytes; at += std::min(earlierBytes, bytes), ++all) {
    ofLane.who = further(access.who, at, bytes);
    known += isKnown(further(earlier, at, earlierBytes), ofLane) ? 1 : 0;
  }
  return known == all ? Knows::All : known == 0 ? Knows::None : Knows::Some;
}

/// Whether it is the same for all of its lanes, and no race.
bool MemoryShard::isPlainMeeting(const Moment &earlier, const Access &access) {
  if (!earlier.isSomebody() || isKnownByAll(earlier, access))
    return true;
  const bool isOneBlock = earlier.block == access.who.block;
  if (isMutual(earlier, access))
    return true;
  return isOneBlock ? !launch_->inBlocks || knowSector(earlier, access) == Knows::All
                    : !launch_->betweenBlocks;
}

/// As keepReader(), of all cells of a sector at once. False: for some of them it would be another than for others.
bool MemoryShard::keepSectorReader(const Access &access, Moment &one, Moment &two) {
  // Nobody who is strong reads a sector, so makesWay() follows from what is known.
  const Knows ofOne = one.isSomebody() ? knowSector(one, access) : Knows::All;
  if (ofOne == Knows::All)
    one = access.who;
  if (ofOne != Knows::None)
    return ofOne == Knows::All;
  const Knows ofTwo = two.isSomebody() ? knowSector(two, access) : Knows::All;
  if (ofTwo == Knows::Some)
    return false;
  if (ofTwo == Knows::All ||
      (one.block == two.block &&
       (access.who.block != one.block || (one.warp() == two.warp() && access.who.warp() != one.warp()))))
    two = access.who;
  return true;
}

/// Whether a step has been followed by sectors: of a page that nobody has accessed otherwise in the launch, and nothing is left to tell.
bool MemoryShard::touchSectors(CheckPage &page, const Access &access, std::uint32_t lanes, bool isChecked) {
  const SiteTraits &site = *access.site;
  Sectors sectors;
  if (page.hasCells() || !findSectors(access, lanes, sectors))
    return false;
  const auto from = [](const Sector &sector) { return std::uint32_t{sector.number} * kSectorBytes; };
  const std::span<const Sector> all(sectors.each.data(), sectors.count);
  if (isChecked && !std::ranges::all_of(all, [&](const Sector &sector) {
        return page.areAllWritten(from(sector), kSectorBytes);
      }))
    return false;
  if (!page.sectors) {
    held_ += sizeof(SectorPlanes);
    if (leftSectors_.empty()) {
      page.sectors = std::make_unique<SectorPlanes>();
    } else {
      page.sectors = std::move(leftSectors_.back());
      leftSectors_.pop_back();
      *page.sectors = {};
    }
  }
  SectorPlanes &planes = *page.sectors;
  Access now = access;
  const auto warp = static_cast<std::uint16_t>(access.step->warp * abi::kLanes);
  // First whether it can be done, then it is done: a step is followed as a whole, or not at all.
  for (const Sector &sector : all) {
    now.who.thread = static_cast<std::uint16_t>(warp + sector.lane);
    if (!isPlainMeeting(planes.written[sector.number], now) ||
        !isPlainMeeting(planes.updated[sector.number], now) ||
        !isPlainMeeting(planes.alsoUpdated[sector.number], now) ||
        (site.writes && (!isPlainMeeting(planes.read[sector.number], now) ||
                         !isPlainMeeting(planes.alsoRead[sector.number], now))))
      return false;
    Moment one = planes.read[sector.number], two = planes.alsoRead[sector.number];
    if (!site.writes && !keepSectorReader(now, one, two))
      return false;
  }
  for (const Sector &sector : all) {
    now.who.thread = static_cast<std::uint16_t>(warp + sector.lane);
    Moment &one = planes.read[sector.number], &two = planes.alsoRead[sector.number];
    if (!site.writes) {
      keepSectorReader(now, one, two);
      continue;
    }
    page.write(from(sector), kSectorBytes);
    Moment &mine = (site.isStrong ? planes.updated : planes.written)[sector.number];
    Moment &other = planes.alsoUpdated[sector.number];
    if (site.isStrong && mustStay(mine, now) && !mustStay(other, now))
      other = mine;
    mine = now.who;
    if (!site.isStrong) // as in touch()
      for (Moment *const reader : {&one, &two})
        if (reader->isSomebody() && isKnownByAll(*reader, now))
          *reader = {};
  }
  return true;
}

/// From sectors to cells.
void MemoryShard::spread(CheckPage &page) {
  if (!page.sectors)
    return;
  const std::unique_ptr<SectorPlanes> planes = std::move(page.sectors);
  held_ -= sizeof(SectorPlanes);
  const auto bytesOf = [&](const Moment &moment) { return launch_->module->sites[moment.site].bytes; };
  for (const auto *const plane : planes->all())
    for (const Moment &moment : *plane)
      if (moment.isSomebody() && bytesOf(moment) % 4 != 0)
        refine(page);
  const auto cells = page.ofLaunch();
  for (std::size_t kind = 0; kind < cells.size(); ++kind)
    for (std::uint32_t sector = 0; sector < kSectors; ++sector)
      if (const Moment &moment = (*planes->all()[kind])[sector]; moment.isSomebody()) {
        Moment *const its = cellsOf(*cells[kind], page.cellBytes);
        for (std::uint32_t at = 0; at < kSectorBytes; at += page.cellBytes)
          its[(sector * kSectorBytes + at) / page.cellBytes] = further(moment, at, bytesOf(moment));
      }
}

/// The launch is over.
void MemoryShard::leaveSectors(CheckPage &page) {
  if (page.sectors && leftSectors_.size() < kMostLeftSectors)
    leftSectors_.push_back(std::move(page.sectors));
  page.sectors.reset();
}

} // namespace cupr::analysis

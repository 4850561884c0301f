/// MemoryShard: lanes that access neighbouring places, as they mostly do, at once.
#include "memory_shard.h"

#include <algorithm>
#include <span>

namespace cupr::analysis {

/// Whether a step is a row of whole cells, and nothing in it is left to tell lane by lane: then it has been followed.
bool MemoryShard::touchRow(CheckPage &page, const Access &access, bool isChecked) {
  const WarpStep &step = *access.step;
  const SiteTraits &site = *access.site;
  const auto lanes = static_cast<std::uint32_t>(std::popcount(step.lanes));
  const auto lowest = static_cast<std::uint32_t>(std::countr_zero(step.lanes));
  const bool isRow = step.addresses == WarpStep::kAffine && step.isInPage && page.cellBytes == 4 &&
                     step.stride == static_cast<std::int32_t>(step.bytes) &&
                     (step.base | step.bytes) % 4 == 0 &&
                     (lanes == abi::kLanes || step.lanes >> lowest == (1u << lanes) - 1);
  if (!isRow || step.bytes == 0 || step.moreLanes != 0)
    return false;
  const auto from = static_cast<std::uint32_t>(step.base & (kCheckPageBytes - 1));
  const std::uint32_t count = lanes * step.bytes;
  if (isChecked && !page.areAllWritten(from, count))
    return false;
  const std::uint32_t first = from / 4, cells = count / 4;
  if (site.isStrong && !site.writes)
    return lookAtRow(page, access, first, cells);
  const auto cellsOfRow = [&](CellPlane<Moment> &plane) {
    return plane.isThere() ? std::span(plane.cells() + first, cells) : std::span<Moment>();
  };
  const auto areKnown = [&](CellPlane<Moment> &plane) {
    return std::ranges::none_of(cellsOfRow(plane), [&](const Moment &earlier) {
      return earlier.isSomebody() && !isKnownByAll(earlier, access);
    });
  };
  if (!areKnown(page.written) || !areKnown(page.updated) || !areKnown(page.alsoUpdated) ||
      !areKnown(page.read) || (site.writes && !areKnown(page.alsoRead)))
    return false;
  CellPlane<Moment> &plane = !site.writes ? page.read : site.isStrong ? page.updated : page.written;
  Moment who = access.who;
  Moment *cell = cellsOf(plane, 4) + first;
  for (std::uint32_t lane = 0; lane < lanes; ++lane, ++who.thread)
    cell = std::fill_n(cell, step.bytes / 4, who);
  if (site.writes)
    page.write(from, count);
  if (site.writes && !site.isStrong) { // as in touch()
    std::ranges::fill(cellsOfRow(page.read), Moment{});
    std::ranges::fill(cellsOfRow(page.alsoRead), Moment{});
  }
  return true;
}

/// The same of one that others count on and that stores nothing, as who waits makes again and again: as long as nobody does anything
/// else there, the first of these has noted all.
bool MemoryShard::lookAtRow(CheckPage &page, const Access &access, std::uint32_t first, std::uint32_t cells) {
  const auto key = static_cast<std::size_t>(access.who.block) * 31 + access.who.warp() * 7 + first / 8;
  Look &last = looks_[key % looks_.size()];
  if (last.page == &page && last.first == first && last.cells == cells && last.changes == page.changes &&
      last.who == access.who)
    return true;
  const auto isMeeting = [&](const Moment &earlier) {
    return !earlier.isSomebody() || isKnownByAll(earlier, access) || isMutual(earlier, access);
  };
  const auto meets = [&](const CellPlane<Moment> &plane) {
    return !plane.isThere() || std::all_of(plane.cells() + first, plane.cells() + first + cells, isMeeting);
  };
  if (!meets(page.written) || !meets(page.updated) || !meets(page.alsoUpdated))
    return false;
  Access ofLane = access;
  const std::uint32_t each = access.step->bytes / 4;
  Moment *const reader = cellsOf(page.read, 4) + first;
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    ofLane.who.thread = static_cast<std::uint16_t>(access.who.thread + cell / each);
    Moment &one = reader[cell];
    if (one.block == ofLane.who.block && one.thread == ofLane.who.thread &&
        launch_->module->sites[one.site].isStrong)
      one = ofLane.who;
    else
      keepReader(page, first + cell, ofLane);
  }
  last = {&page, first, cells, page.changes, access.who};
  return true;
}

} // namespace cupr::analysis

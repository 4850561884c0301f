/// MemoryShard: reads of shared memory that are put aside.
#include "memory_shard.h"

#include <algorithm>
#include <utility>

namespace cupr::analysis {

namespace {

/// Of one page. If they are not known by then, they are mostly of a table that is read again and again without a barrier.
constexpr std::size_t kMostAside = 1024;

} // namespace

/// Notes what a step does to a page of shared memory as a whole. Returns whether there is nothing to do in its cells.
bool MemoryShard::followShared(CheckPage &page, std::uint64_t number, const Access &access,
                               std::uint32_t lanes) {
  if (!page.shared)
    page.shared = std::make_unique<SharedPage>();
  SharedPage &shared = *page.shared;
  const WarpStep &step = *access.step;
  if (std::exchange(shared.batch, batch_) != batch_)
    shared.knowledge.fill(0);
  shared.knowledge[step.warp] = step.knowledge;
  // A write may race with what is aside; a read that may race itself is noted behind what came before it.
  const bool isClean =
      access.site->writes
          ? shared.reads.empty() || shared.read.areKnown(*access.knowledge, step.warp)
          : shared.written.areKnown(*access.knowledge, step.warp) &&
                shared.updated.areKnown(*access.knowledge, step.warp) &&
                (!shared.isCopied || copiesOf(shared, step.block).areKnown(*access.knowledge, step.warp));
  if (!isClean && !shared.reads.empty())
    takeAsides(page, step.block);
  const bool isAside = isClean && !access.site->writes && putAside(page, number, access, lanes);
  if (access.site->isCopied) {
    shared.isCopied = true;
    shared.copied.note(step.warp, step.clock & ~Moment::kCopy);
    shared.doneBatch = 0;
    return false;
  }
  WarpTimes &times = !access.site->writes    ? shared.read
                     : access.site->isStrong ? shared.updated
                                             : shared.written;
  times.note(step.warp, step.clock);
  return isAside;
}

/// When what was copied there so far was done, as far as this batch goes.
const WarpTimes &MemoryShard::copiesOf(SharedPage &shared, std::uint32_t block) const {
  if (std::exchange(shared.doneBatch, batch_) != batch_)
    shared.done = shared.copied.whenDone(*launch_->order, block);
  return shared.done;
}

/// False: the read is not one that can be put aside, or that it saves anything for: of one place two lanes are noted anyway.
bool MemoryShard::putAside(CheckPage &page, std::uint64_t number, const Access &access, std::uint32_t lanes) {
  SharedPage &shared = *page.shared;
  const WarpStep &step = *access.step;
  const bool isOnePlace = step.addresses == WarpStep::kAffine && step.stride == 0;
  if (!step.isInPage || step.bytes == 0 || isOnePlace)
    return false;
  SharedRead read;
  read.batch = batch_;
  read.knowledge = step.knowledge;
  read.clock = step.clock;
  read.site = step.site;
  read.lanes = lanes;
  read.moreLanes = step.moreLanes;
  read.bytes = step.bytes;
  read.warp = static_cast<std::uint16_t>(step.warp);
  read.acquired = step.acquired;
  read.more = step.more;
  if (shared.reads.size() == kMostAside)
    dropKnown(page, step.block);
  if (!std::exchange(shared.isListed, true))
    aside_.push_back(number);
  read.places = static_cast<std::uint32_t>(shared.places.size());
  shared.places.resize(shared.places.size() + abi::kLanes);
  std::uint16_t *const places = &shared.places[read.places];
  const bool isAffine = step.addresses == WarpStep::kAffine;
  const std::uint64_t *const addresses = isAffine ? nullptr : &access.chunk->addresses[step.addresses];
  const std::uint64_t first =
      step.base - static_cast<std::uint64_t>(std::int64_t{step.stride} * __builtin_ctz(step.lanes));
  const auto stride = static_cast<std::uint64_t>(std::int64_t{step.stride});
  for (unsigned lane = 0; lane < abi::kLanes; ++lane) // also of those that read nothing
    places[lane] = static_cast<std::uint16_t>((isAffine ? first + stride * lane : addresses[lane]) &
                                              (kCheckPageBytes - 1));
  shared.reads.push_back(read);
  held_ += SharedPage::kBytesOfRead;
  return true;
}

/// Makes room for more reads, in the midst of a batch: those go that all warps knew of when they last came here, or else all.
void MemoryShard::dropKnown(CheckPage &page, std::uint32_t block) {
  SharedPage &shared = *page.shared;
  WarpClocks::Clocks known;
  known.fill(UINT32_MAX);
  for (std::uint32_t by = 0; by < launch_->order->warps(); ++by)
    known = launch_->order->knowledge(block, shared.knowledge[by]).atMost(known, by);
  const std::uint64_t held = shared.held();
  shared.dropReads(known);
  held_ -= held - shared.held();
  if (shared.reads.size() > kMostAside / 2)
    takeAsides(page, block);
}

/// Puts the reads into the page's cells.
void MemoryShard::takeAsides(CheckPage &page, std::uint32_t block) {
  SharedPage &shared = *page.shared;
  held_ -= shared.held();
  const std::vector<SharedRead> reads = std::exchange(shared.reads, {});
  const std::vector<std::uint16_t> places = std::exchange(shared.places, {});
  for (const SharedRead &read : reads) {
    if (read.bytes % 4 != 0)
      refine(page);
    const bool isOfBatch = read.batch == batch_;
    Access access{nullptr,
                  nullptr,
                  &launch_->module->sites[read.site],
                  &launch_->order->knowledge(block, isOfBatch ? read.knowledge : 0),
                  0,
                  read.bytes,
                  {}};
    access.who.block = block;
    access.who.clock = read.clock;
    access.who.site = read.site;
    cellsOf(page.read, page.cellBytes);
    for (std::uint32_t left = read.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint32_t from = places[read.places + lane];
      if (from % 4 != 0)
        refine(page);
      access.who.thread = static_cast<std::uint16_t>(read.warp * abi::kLanes + lane);
      access.who.acquired = (read.moreLanes >> lane & 1) != 0 ? read.more : read.acquired;
      for (std::uint32_t cell = from / page.cellBytes; cell < (from + read.bytes) / page.cellBytes; ++cell)
        if (isOfBatch)
          keepReader(page, cell, access);
        else
          keepLastReader(page, cell, access.who);
    }
  }
}

/// Notes who read a cell, when it can't be told any more whom of the others it knew: the last two stay.
void MemoryShard::keepLastReader(CheckPage &page, std::uint32_t cell, const Moment &who) {
  Moment &one = page.read.cells()[cell];
  if (one.isSomebody() && one.warp() != who.warp())
    cellsOf(page.alsoRead, page.cellBytes)[cell] = one;
  one = who;
}

/// Of pages of which reads were put aside in the batch: blocks that are over leave theirs as they are.
void MemoryShard::endBatch() {
  for (const std::uint64_t number : aside_) {
    const auto found = pages_.find(number);
    if (found == pages_.end() || !found->second.shared)
      continue;
    SharedPage &shared = *found->second.shared;
    held_ -= shared.held();
    shared.dropReads(launch_->order->knownByAll(blockOf(number)));
    held_ += shared.held();
    shared.isListed = false;
  }
  aside_.clear();
  endBlocks();
}

} // namespace cupr::analysis

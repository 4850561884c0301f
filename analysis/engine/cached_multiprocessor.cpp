#include "cached_multiprocessor.h"

#include "key_hash.h"
#include "sum_at.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cupr::analysis {

namespace {

/// Not by the hash that a part chooses its sets by: it would use a few of them only.
std::size_t partOf(std::uint64_t line, std::size_t parts) { return keyHash(line, 1) % parts; }

} // namespace

BlockRecords::BlockRecords(std::vector<trace::Word> words, std::span<const trace::Site> sites)
    : words_(std::move(words)) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> warps; // and where their records stand
  abi::WarpAccess access;
  for (std::size_t at = 0; at < words_.size();) {
    std::uint32_t size = 0;
    abi::decodeRecord(words_.data() + at, words_.size() - at, access, size);
    const trace::Site &site = sites[access.site];
    if (isAccess(site) && abi::spaceOf(site.space) == abi::MemorySpace::Global)
      warps.emplace_back(access.warp, static_cast<std::uint32_t>(at));
    at += size;
  }
  std::ranges::sort(warps);
  for (std::size_t i = 0; i < warps.size(); ++i) {
    if (i != 0 && warps[i].first != warps[i - 1].first)
      begins_.push_back(static_cast<std::uint32_t>(i));
    places_.push_back(warps[i].second);
  }
  if (!places_.empty())
    begins_.push_back(static_cast<std::uint32_t>(places_.size()));
}

void CachedMultiprocessor::begin(std::vector<std::size_t> blocks, unsigned resident, std::uint64_t l1Bytes) {
  blocks_ = std::move(blocks);
  next_ = 0;
  resident_ = resident;
  turn_ = 0;
  running_.clear();
  cache_.clear(l1Bytes);
  lastAllocation_ = {};
  sites_.clear();
  allocations_.clear();
  records_ = 0;
  if (reuse_)
    reuse_->begin();
}

/// As many blocks as there is room for.
void CachedMultiprocessor::start(const Work &work) {
  while (running_.size() < resident_ && next_ < blocks_.size()) {
    BlockRecords records(work.load(blocks_[next_++]), work.module.sites);
    const std::size_t warps = records.warps(), count = records.count();
    if (count != 0)
      running_.push_back({std::move(records), std::vector<std::uint32_t>(warps), count});
  }
}

/// Before the lines of an access of so many bytes are looked at: one of a few bytes in the file may have billions.
void CachedMultiprocessor::allow(const Work &work, std::uint64_t bytes) {
  constexpr std::uint64_t kLarge = 1 << 20, kStepsPerLine = 30,
                          kBytesPerLine = 2 * (sizeof(LineSectors) + sizeof(SectorAccess)); // lists that grow
  if (bytes <= kLarge)
    return;
  const std::uint64_t lines = bytes / kSectorBytes / kSectorsPerLine;
  const auto place = [] { return "the lines of an access"; };
  work.limit.spend(kStepsPerLine * lines, place);
  const std::uint64_t kept = (kBytesPerLine + (reuse_ ? ReuseStack::kBytesEach : 0)) * lines;
  work.limit.keep(kept, place);
  kept_ += kept;
}

void CachedMultiprocessor::run(const Work &work, std::uint32_t endTurn,
                               std::span<std::vector<SectorAccess>> parts) {
  work.limit.release(std::exchange(kept_, 0));
  if (reuse_) {
    kept_ = reuse_->lines() * ReuseStack::kBytesEach;
    work.limit.keep(kept_, [] { return "the lines that L1 was asked for"; });
  }
  for (; turn_ < endTurn; ++turn_) {
    start(work);
    if (running_.empty())
      return;
    for (RunningBlock &block : running_)
      for (std::size_t warp = 0; warp < block.done.size(); ++warp) {
        const std::span<const std::uint32_t> places = block.records.of(warp);
        if (block.done[warp] == places.size())
          continue;
        const std::size_t at = places[block.done[warp]++];
        --block.left;
        access(work, block.records.words().data() + at, block.records.words().size() - at, turn_, parts);
      }
    std::erase_if(running_, [](const RunningBlock &block) { return block.left == 0; });
  }
}

void CachedMultiprocessor::translate(std::span<const LineSectors> lines, std::uint32_t site) {
  pages_.clear();
  for (const LineSectors &of : lines)
    if (const std::uint64_t page = of.line / (MultiprocessorReuse::kPageBytes / kLineBytes);
        std::find(pages_.rbegin(), pages_.rend(), page) == pages_.rend()) { // mostly the last one
      pages_.push_back(page);
      reuse_->translate(site, lastAllocation_.index, page);
    }
}

void CachedMultiprocessor::access(const Work &work, const trace::Word *words, std::size_t size,
                                  std::uint32_t turn, std::span<std::vector<SectorAccess>> parts) {
  std::uint32_t used = 0;
  abi::decodeRecord(words, size, record_.access, used);
  const std::uint32_t site = record_.access.site;
  record_.site = &work.module.sites[site];
  ++records_;
  allow(work, abi::recordBytes(record_.access, record_.site->bytes));
  const std::uint64_t address = record_.access.address[std::countr_zero(record_.access.laneMask)];
  if (address < lastAllocation_.range.begin || address >= lastAllocation_.range.end)
    lastAllocation_ = work.allocations.entryOf(address);
  const abi::OperationClass operation = abi::operationClass(record_.site->operation);
  const bool bypasses = operation == abi::OperationClass::Atomic ||
                        (operation == abi::OperationClass::Load && record_.site->flags & abi::kSiteVolatile);
  CacheFigures made;
  const auto send = [&](const LineSectors &sectors, SectorAccess::Kind kind) {
    parts[partOf(sectors.line, parts.size())].push_back({sectors, turn, site, lastAllocation_.index, kind});
  };
  lines_.forEach(record_, [&](std::span<const LineSectors> lines) {
    if (reuse_)
      translate(lines, site);
    for (const LineSectors &of : lines) {
      if (bypasses) {
        made.atomics += of.count();
        send(of,
             operation == abi::OperationClass::Load ? SectorAccess::Kind::Read : SectorAccess::Kind::Atomic);
        continue;
      }
      const SectorCache::Use use = cache_.use(of.line);
      use.now.present |= of.sectors;
      if (operation == abi::OperationClass::Load) {
        const auto missing = static_cast<std::uint8_t>(of.sectors & ~use.before.readable);
        made.loads += of.count();
        made.loadHits += of.count() - static_cast<unsigned>(std::popcount(missing));
        use.now.readable |= of.sectors;
        if (reuse_)
          reuse_->load(site, lastAllocation_.index, of);
        if (missing)
          send({of.line, missing, missing}, SectorAccess::Kind::Read);
      } else {
        made.stores += of.count();
        made.storeHits += use.before.present ? of.count() : 0;
        use.now.readable |= of.complete;
        if (reuse_)
          reuse_->store(of);
        send(of, SectorAccess::Kind::Write);
      }
    }
  });
  sumAt(sites_, site) += made;
  sumAt(allocations_, lastAllocation_.index) += made;
}

} // namespace cupr::analysis

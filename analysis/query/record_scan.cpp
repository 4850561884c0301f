#include "record_scan.h"

#include <bit>

namespace cupr::analysis {

namespace {

std::uint64_t firstSiteOf(const OpenTrace &trace, const LaunchInfo &launch) {
  return trace.references().firstSite(static_cast<std::size_t>(launch.launch.module));
}

/// Numbers in the module of the sites that are asked for.
Bounds sitesIn(const RowFilter &filter, std::uint64_t firstSite, std::size_t sites) {
  const auto first = static_cast<std::int64_t>(firstSite),
             last = first + static_cast<std::int64_t>(sites) - 1;
  return {std::max(filter.site.least, first) - first, std::min(filter.site.most, last) - first};
}

bool mayHave(const ChunkZone &zone, const RowFilter &filter, const Bounds &sites) {
  if (!zone.cta.meets(filter.cta) || !zone.address.meets(filter.address))
    return false;
  return !sites.isOne() || (zone.sites >> sites.least % 64 & 1) != 0;
}

} // namespace

bool passes(const OpenTrace &trace, const LaunchInfo &launch, const RowFilter &filter) {
  const trace::Module *const module = trace.model().moduleOf(launch);
  if (!module || !filter.launch.has(static_cast<std::uint64_t>(launch.launch.id)) ||
      (filter.kernel && *filter.kernel != launch.kernel))
    return false;
  const Bounds sites = sitesIn(filter, firstSiteOf(trace, launch), module->sites.size());
  return sites.least <= sites.most;
}

RecordScan::RecordScan(OpenTrace &trace, const RowFilter &filter, RecordsOf wanted)
    : trace_(trace), model_(trace.model()), filter_(filter), wanted_(wanted), allocations_(model_) {}

const Record *RecordScan::next() {
  for (;;) {
    if (stream_)
      while (const Record *record = stream_->next())
        if (lookAtRecord(*record))
          return record_ = record;
    stream_.reset();
    if (!nextChunk())
      return nullptr;
  }
}

bool RecordScan::nextChunk() {
  for (;;) {
    if (!launch_ || chunk_ == launch_->chunks.size()) {
      if (!nextLaunch())
        return false;
      continue;
    }
    const std::size_t chunk = chunk_++;
    if (zones_ && !mayHave((*zones_)[chunk], filter_, sitesIn(filter_, firstSite_, module_->sites.size())))
      continue;
    stream_.emplace(model_, *launch_, wanted_, model_.reader(), chunk);
    stream_->readValues();
    return true;
  }
}

bool RecordScan::nextLaunch() {
  while (event_ != model_.events().size()) {
    const Event &event = model_.events()[event_++];
    if (const auto *made = std::get_if<AllocationEvent>(&event))
      allocations_.apply(*made);
    else if (const auto *freed = std::get_if<FreeEvent>(&event))
      allocations_.apply(*freed);
    const auto *launched = std::get_if<LaunchEvent>(&event);
    if (!launched || !passes(trace_, model_.launches()[launched->index], filter_))
      continue;
    launch_ = &model_.launches()[launched->index];
    module_ = model_.moduleOf(*launch_);
    firstSite_ = firstSiteOf(trace_, *launch_);
    chunk_ = 0;
    const bool isOfParts = !filter_.cta.isAll() || !filter_.address.isAll() || !filter_.site.isAll();
    zones_ = isOfParts ? &trace_.zones().of(*launch_) : nullptr;
    return true;
  }
  return false;
}

bool RecordScan::lookAtRecord(const Record &record) const {
  if (!zones_)
    return true;
  const abi::WarpAccess &access = record.access;
  if (!filter_.cta.has(access.cta) || !filter_.site.has(firstSite_ + access.site))
    return false;
  if (filter_.address.isAll())
    return true;
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
    if (filter_.address.has(access.address[std::countr_zero(left)]))
      return true;
  return false;
}

const AllocationInfo *RecordScan::allocationAt(std::uint64_t address) {
  return areOfAllocations(*record_->site) ? allocations_.find(address) : nullptr;
}

} // namespace cupr::analysis

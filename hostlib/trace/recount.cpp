/// The rules that records must keep, one by one: the site, the CTA, the warp and the lanes exist.
#include "recount.h"

#include "record_values.h"

namespace cupr::trace {

static unsigned __int128 volume(const Dim3 &dim) {
  return static_cast<unsigned __int128>(dim.x) * dim.y * dim.z;
}

RecordRules::RecordRules(const Launch &launch, std::span<const Site> sites)
    : sites_(sites), ctas_(volume(launch.grid)), threads_(volume(launch.block)) {}

const char *RecordRules::broken(const abi::WarpAccess &access) const {
  if (access.site >= sites_.size())
    return "its site is not in the module";
  if (access.cta >= ctas_)
    return "its CTA is not in the grid";
  const std::uint64_t firstThread = std::uint64_t{access.warp} * abi::kLanes;
  if (firstThread >= threads_)
    return "its warp is not in the block";
  const auto present = threads_ - firstThread;
  if (present < abi::kLanes && (access.laneMask >> static_cast<unsigned>(present)) != 0)
    return "its lane mask names threads that are not in the block";
  if ((access.form == abi::RecordForm::Range) != ((sites_[access.site].flags & abi::kSiteRange) != 0))
    return "a range at a site of another kind, or the other way round";
  return nullptr;
}

std::string recount(const Chunk &chunk, std::span<const Word> words, std::span<const Word> values,
                    const Launch &launch, std::span<const Site> sites, RecordTotals &totals,
                    SiteAccesses *bySite) {
  totals = {};
  totals.words = words.size();
  const RecordRules rules(launch, sites);
  abi::WarpAccess access;
  RecordValues ofRecords(launch.values, values);
  AccessValues ofAccess;
  const auto broken = [&](const char *rule) {
    return "record " + std::to_string(totals.records) + " of the chunk (launch " +
           std::to_string(static_cast<std::uint64_t>(launch.id)) + "): " + rule;
  };
  for (std::size_t at = 0; at < words.size(); ++totals.records) {
    std::uint32_t size = 0;
    if (abi::decodeRecord(words.data() + at, words.size() - at, access, size) != abi::RecordStatus::Access)
      return "record " + std::to_string(totals.records) + " of the chunk can't be read";
    if (const char *rule = rules.broken(access))
      return broken(rule);
    at += size;
    const Site &site = sites[access.site];
    if (const char *rule = ofRecords.take(access, site, ofAccess))
      return broken(rule);
    if (site.flags & abi::kSiteBlock) {
      ++totals.blocks;
      continue;
    }
    if (!isAccess(site))
      continue;
    if (bySite)
      (*bySite)[access.site] += abi::activeLanes(access.laneMask);
    totals.counts.in(abi::spaceOf(site.space))
        .add(abi::operationClass(site.operation), abi::activeLanes(access.laneMask),
             abi::recordBytes(access, site.bytes));
  }
  if (totals.records != chunk.records)
    return "the chunk holds " + std::to_string(totals.records) + " records and says " +
           std::to_string(chunk.records);
  if (const char *rule = ofRecords.brokenAtEnd())
    return rule;
  return {};
}

} // namespace cupr::trace

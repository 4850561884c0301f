#include "unwritten_fetches.h"

#include "memory_shard.h"

#include <utility>
#include <variant>

namespace cupr::analysis {

void tellUnwrittenFetches(const std::vector<std::unique_ptr<MemoryShard>> &shards, const Model &model,
                          const Ordering &ordering, bool mayLackLibraries, FaultList &faults) {
  UnwrittenFetches fetches;
  for (const std::unique_ptr<MemoryShard> &shard : shards)
    for (const auto &[act, fetch] : std::exchange(shard->unwrittenFetches(), {}))
      fetches[act].add(fetch);
  if (fetches.empty())
    return;
  for (std::size_t i = 0; i < model.events().size(); ++i) {
    const auto *event = std::get_if<CopyEvent>(&model.events()[i]);
    const auto found = event ? fetches.find(ordering.actOf(i)) : fetches.end();
    if (found == fetches.end())
      continue;
    const UnwrittenFetch &fetch = found->second;
    const trace::Copy &copy = model.copies()[event->index];
    const bool isAll = fetch.bytes >= copy.rowBytes * copy.rows;
    if (isAll ? mayLackLibraries : fetch.inRows == 0)
      continue;
    Fault fault;
    fault.rule = FaultRule::UninitialisedRead;
    fault.count = 1;
    fault.address = fetch.address;
    fault.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(fetch.bytes, UINT32_MAX));
    fault.place = {kHost, found->first, 0, 0, 0};
    faults.add(fault);
  }
}

} // namespace cupr::analysis

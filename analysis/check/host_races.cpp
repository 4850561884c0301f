#include "host_races.h"

#include "analysis/model/host_paths.h"

#include <algorithm>
#include <optional>
#include <string>

namespace cupr::analysis {

void HostRaces::extend(const Ordering &ordering, const MemoryLifetimes &lifetimes) {
  takeAccesses(lifetimes);
  takeActs(ordering);
}

void HostRaces::takeAccesses(const MemoryLifetimes &lifetimes) {
  const std::vector<trace::HostAccess> &all = model_.host().accesses;
  for (std::size_t i = places_.size(); i < all.size(); ++i) {
    places_.push_back(placeOf(i));
    const std::optional<std::uint32_t> memory = lifetimes.holds(all[i].address, all[i].after);
    const trace::Allocation *const found = memory ? &model_.allocations()[*memory].allocation : nullptr;
    ends_.push_back(found ? accessRange(found->address, found->bytes).end : 0);
    if (isWhole_)
      byAfter_.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(byAfter_, {}, [&](std::uint32_t i) { return std::pair(all[i].after, i); });
}

/// In place of an object's index.
constexpr std::uint32_t kOfSource = trace::kNoHostIndex;

/// The first of the host's accesses that is made at the same place of the code.
std::uint32_t HostRaces::placeOf(std::size_t access) {
  const auto own = static_cast<std::uint32_t>(access);
  if (const std::uint64_t place = model_.host().accesses[access].place; place != 0)
    return placeOfCode_.try_emplace({kOfSource, place}, own).first->second;
  const std::uint32_t node = model_.host().accesses[access].node;
  if (node == trace::kNoHostIndex)
    return own;
  const trace::HostNode &code = model_.host().nodes[node];
  return placeOfCode_.try_emplace({code.object, code.offset}, own).first->second;
}

void HostRaces::takeActs(const Ordering &ordering) {
  const std::vector<trace::HostAccess> &all = model_.host().accesses;
  for (; events_ < model_.events().size(); ++events_) {
    const Act act = ordering.actOf(events_);
    if (act == kNoAct)
      continue;
    const Event &event = model_.events()[events_];
    bool isClaimed = true;
    if (const auto *const copy = std::get_if<CopyEvent>(&event))
      isClaimed = model_.copies()[copy->index].asynchronous;
    else if (const auto *const set = std::get_if<SetEvent>(&event))
      isClaimed = model_.sets()[set->index].asynchronous;
    isClaimed_.push_back(isClaimed);
    const std::uint64_t order = ordering.callOrderOf(act);
    const auto next =
        std::ranges::lower_bound(byAfter_, order, {}, [&](std::uint32_t i) { return all[i].after; });
    meets_.push_back(!isWhole_ ||
                     (next != byAfter_.end() && !ordering.hadHostWaitedFor(act, all[*next].after)));
  }
}

/// Whether the host may have learned by what it or the act has accessed that the act is over.
bool HostRaces::mayKnow(Act act, std::uint64_t after, const Ordering &ordering) const {
  const auto isBehind = [&](Act other) { return other == act || ordering.before(act, other); };
  return std::ranges::any_of(
             telling_,
             [&](Act telling) { return ordering.callOrderOf(telling) <= after && isBehind(telling); }) ||
         std::ranges::any_of(looks_,
                             [&](const auto &look) { return look.second <= after && isBehind(look.first); });
}

/// Copies and sets of one call in the source are one.
FaultPlace HostRaces::firstLike(const FaultPlace &other, std::uint32_t place, const Ordering &ordering,
                                const HostPaths &paths) {
  const std::optional<std::uint64_t> call = paths.callOf(ordering.callOrderOf(other.act));
  const std::uint32_t node = call ? model_.host().calls[*call].node : trace::kNoHostIndex;
  if (node == trace::kNoHostIndex)
    return other;
  const trace::HostNode &code = model_.host().nodes[node];
  return firstOfCall_.try_emplace({place, code.object, code.offset, other.site}, other).first->second;
}

void HostRaces::tell(const std::vector<std::unique_ptr<MemoryShard>> &shards, const Ordering &ordering,
                     const MemoryLifetimes &lifetimes, FaultList &faults) {
  for (const std::unique_ptr<MemoryShard> &shard : shards) {
    telling_.insert(shard->hostMeetings().telling().begin(), shard->hostMeetings().telling().end());
    for (const auto &[act, after] : shard->hostMeetings().looks()) {
      const auto [look, isNew] = looks_.try_emplace(act, after);
      look->second = std::min(look->second, after);
    }
  }
  std::optional<HostPaths> paths;
  for (const std::unique_ptr<MemoryShard> &shard : shards) {
    for (const auto &[key, met] : shard->hostMeetings().met()) {
      const trace::HostAccess &access = model_.host().accesses[met.access];
      model_.limit().spend(100 + 10 * (telling_.size() + looks_.size()),
                           [] { return std::string("what code of the host accesses"); });
      if (!isClaimed_[static_cast<std::size_t>(met.other.act)] ||
          mayKnow(met.other.act, access.after, ordering))
        continue;
      Fault fault;
      fault.rule = FaultRule::RaceHost;
      fault.cause = met.isOneStrong ? RaceCause::OneIsPlain : RaceCause::Nothing;
      fault.count = met.count;
      fault.address = met.address;
      fault.bytes = met.bytes;
      fault.place.site = places_[met.access];
      fault.call = met.access;
      fault.other = met.other;
      if (met.other.launch == kHost) {
        if (!paths)
          paths.emplace(model_);
        fault.other = firstLike(met.other, fault.place.site, ordering, *paths);
      }
      fault.allocation = lifetimes.holds(met.address, access.after);
      faults.add(fault);
    }
    shard->hostMeetings().forgetMet();
  }
}

} // namespace cupr::analysis

#include "hand_over.h"

#include "analysis/engine/program_places.h"
#include "analysis/model/records.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerRecord = 60;

bool isForDevice(const trace::Site &site) {
  return site.scope == abi::MemoryScope::Device || site.scope == abi::MemoryScope::System;
}
bool releases(abi::MemoryOrder order) {
  return order == abi::MemoryOrder::Release || order == abi::MemoryOrder::AcquireRelease ||
         order == abi::MemoryOrder::SequentiallyConsistent;
}
bool acquires(abi::MemoryOrder order) {
  return order == abi::MemoryOrder::Acquire || order == abi::MemoryOrder::AcquireRelease ||
         order == abi::MemoryOrder::SequentiallyConsistent;
}

/// Whether others may count on accesses of the site.
bool isStrong(const trace::Site &site) {
  return isAccess(site) && site.order != abi::MemoryOrder::None && isForDevice(site) &&
         abi::spaceOf(site.space) == abi::MemorySpace::Global;
}

/// A moment of a warp: the number of its record, of the block's barriers before it, and of the last record with which all its lanes
/// met.
struct Moment {
  std::uint64_t record = 0;
  std::uint32_t barriers = 0;
  std::uint64_t met = 0;
};

/// What some lanes of a warp did.
struct Deed {
  std::uint32_t warp = 0, lanes = 0;
  Moment at;
};

/// Whether each of the lanes that did the first knows of it when any does the second.
bool isBefore(const Deed &first, const Deed &second) {
  if (first.at.barriers < second.at.barriers)
    return true;
  const bool isOfOneLane = first.lanes == second.lanes && (first.lanes & (first.lanes - 1)) == 0;
  return first.warp == second.warp && first.at.record < second.at.record &&
         (isOfOneLane || first.at.record < second.at.met);
}

/// When a warp made the accesses of a site. `fence`: of all these lanes, behind the last.
struct Touch {
  Deed first, last;
  std::optional<Deed> fence;
};

/// An access that others may count on. `fence`: of its lane, in front of what releases, and behind what looks.
struct OrderedAccess {
  std::uint64_t place = 0;
  Deed access;
  std::optional<Deed> fence;
};

struct Warp {
  Moment now;
  std::uint32_t seen = 0;                                ///< lanes
  std::uint32_t arrived = 0;                             ///< of these, at the block's barrier
  std::array<std::optional<Moment>, abi::kLanes> fences; ///< the last one that releases, by lane
};

struct Block {
  std::unordered_map<std::uint32_t, Warp> warps;
  /// By warp, lane and place: the last release, and the first look.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, OrderedAccess> releases, looks;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Touch> touches; ///< by place in the source and warp
};

/// The blocks of one launch, gathered from its records.
class LaunchActs {
public:
  /// `places`: by site of the launch's module. `wanted`: of those, whose accesses are looked at.
  LaunchActs(const Model &model, const LaunchInfo &launch, std::span<const std::uint32_t> places,
             const std::set<std::uint32_t> &wanted)
      : places_(places), wanted_(wanted) {
    RecordStream records(model, launch, RecordsOf::Everything);
    while (const Record *record = isTooMuch() ? nullptr : records.next()) {
      records.spend(kStepsPerRecord);
      add(*record);
    }
    model.limit().keep(kept_ * kBytesEach, [&] { return launch.kernel + ": how its blocks hand over data"; });
  }

  /// `isSecondStrong`: others may count on the second accesses themselves.
  HandOver between(std::uint32_t first, std::uint32_t second, bool isSecondStrong) const {
    if (isTooMuch())
      return HandOver::None;
    std::set<std::uint64_t> released, looked;
    for (const auto &[cta, block] : blocks_) {
      for (const auto &[key, act] : block.releases)
        if (isAllBefore(block, first, act))
          released.insert(act.place);
      for (const auto &[key, act] : block.looks)
        if (isAllBehind(block, second, act.access))
          looked.insert(act.place);
    }
    bool isAcquired = true;
    for (const auto &[cta, block] : blocks_) {
      if (isTouched(block, first) && std::ranges::none_of(block.releases, [&](const auto &entry) {
            return looked.contains(entry.second.place) && isAllBefore(block, first, entry.second);
          }))
        return HandOver::None;
      if (!isTouched(block, second))
        continue;
      bool hasLooked = false, hasAcquired = false;
      for (const auto &[key, act] : block.looks)
        if (released.contains(act.place) && isAllBehind(block, second, act.access)) {
          hasLooked = true;
          hasAcquired |= act.fence && isAllBehind(block, second, *act.fence);
        }
      if (!hasLooked)
        return HandOver::None;
      isAcquired &= hasAcquired;
    }
    return isAcquired || isSecondStrong ? HandOver::Whole : HandOver::Unacquired;
  }

private:
  /// Kernels whose every thread makes atomic accesses to many places are no queues.
  static constexpr std::uint64_t kMost = 1u << 20, kBytesEach = 200;
  bool isTooMuch() const { return kept_ > kMost; }

  void add(const Record &record) {
    const trace::Site &site = *record.site;
    const abi::WarpAccess &access = record.access;
    Block &block = blocks_[access.cta];
    const auto [entry, isNew] = block.warps.try_emplace(access.warp);
    kept_ += isNew;
    Warp &warp = entry->second;
    ++warp.now.record;
    warp.seen |= access.laneMask;
    const Deed deed{access.warp, access.laneMask, warp.now};
    switch (site.operation) {
    case abi::Operation::Barrier:
      if (access.address[__builtin_ctz(access.laneMask)] == 0) // of the whole block
        arrive(warp, access.laneMask);
      return;
    case abi::Operation::WarpBarrier:
      if ((warp.seen & ~access.laneMask) == 0)
        warp.now.met = warp.now.record;
      return;
    case abi::Operation::Fence:
      if (isForDevice(site))
        fence(block, warp, deed, site.order);
      return;
    default:
      break;
    }
    if (isStrong(site))
      forEachLane(access.laneMask, [&](unsigned lane) {
        act(block, warp, {access.warp, 1u << lane, warp.now}, access.address[lane], site);
      });
    const std::uint32_t place = places_[access.site];
    if (!wanted_.contains(place))
      return;
    const auto [touch, isFirst] =
        block.touches.try_emplace({place, access.warp}, Touch{deed, deed, std::nullopt});
    kept_ += isFirst;
    touch->second.last.at = warp.now;
    touch->second.last.lanes = touch->second.first.lanes |= access.laneMask;
    touch->second.fence.reset();
  }

  template <typename Body> static void forEachLane(std::uint32_t lanes, Body body) {
    for (; lanes != 0; lanes &= lanes - 1)
      body(static_cast<unsigned>(__builtin_ctz(lanes)));
  }

  /// Lanes of a warp may come in several records.
  static void arrive(Warp &warp, std::uint32_t lanes) {
    if (warp.arrived == 0 || (warp.arrived & lanes) != 0) {
      ++warp.now.barriers;
      warp.arrived = 0;
    }
    warp.arrived |= lanes;
  }

  static void fence(Block &block, Warp &warp, const Deed &deed, abi::MemoryOrder order) {
    if (releases(order)) {
      forEachLane(deed.lanes, [&](unsigned lane) { warp.fences[lane] = deed.at; });
      for (auto &[key, touch] : block.touches)
        if (key.second == deed.warp && (touch.last.lanes & ~deed.lanes) == 0 && !touch.fence)
          touch.fence = deed;
    }
    if (acquires(order))
      for (auto &[key, look] : block.looks)
        if (look.access.warp == deed.warp && (look.access.lanes & ~deed.lanes) == 0 && !look.fence)
          look.fence = Deed{deed.warp, look.access.lanes, deed.at};
  }

  void act(Block &block, const Warp &warp, const Deed &deed, std::uint64_t place, const trace::Site &site) {
    const abi::OperationClass kind = abi::operationClass(site.operation);
    const std::tuple key{deed.warp, deed.lanes, place};
    if (kind != abi::OperationClass::Load) {
      OrderedAccess release{place, deed, {}};
      if (releases(site.order))
        release.fence = deed;
      else if (const auto &fence = warp.fences[static_cast<unsigned>(__builtin_ctz(deed.lanes))])
        release.fence = Deed{deed.warp, deed.lanes, *fence};
      kept_ += block.releases.insert_or_assign(key, release).second;
    }
    if (kind != abi::OperationClass::Store) {
      const OrderedAccess look{place, deed, acquires(site.order) ? std::optional(deed) : std::nullopt};
      kept_ += block.looks.try_emplace(key, look).second;
    }
  }

  static bool isTouched(const Block &block, std::uint32_t place) {
    const auto from = block.touches.lower_bound({place, 0});
    return from != block.touches.end() && from->first.first == place;
  }
  template <typename Test> static bool areAll(const Block &block, std::uint32_t place, Test test) {
    auto at = block.touches.lower_bound({place, 0});
    bool any = false;
    for (; at != block.touches.end() && at->first.first == place; ++at) {
      any = true;
      if (!test(at->second))
        return false;
    }
    return any;
  }
  static bool isOne(const Deed &a, const Deed &b) {
    return a.warp == b.warp && a.lanes == b.lanes && a.at.record == b.at.record;
  }
  /// Whether a fence stands between them: the releasing thread's, of what it knows, or the accessing threads' own. What releases
  /// counts itself.
  static bool isAllBefore(const Block &block, std::uint32_t place, const OrderedAccess &release) {
    return areAll(block, place, [&](const Touch &touch) {
      return (release.fence && (isBefore(touch.last, *release.fence) || isOne(touch.last, release.access))) ||
             (touch.fence && isBefore(*touch.fence, release.access));
    });
  }
  static bool isAllBehind(const Block &block, std::uint32_t place, const Deed &look) {
    return areAll(block, place, [&](const Touch &touch) { return isBefore(look, touch.first); });
  }

  const std::span<const std::uint32_t> places_;
  const std::set<std::uint32_t> &wanted_;
  std::uint64_t kept_ = 0; ///< warps, touches and acts
  std::map<std::uint64_t, Block> blocks_;
};

} // namespace

std::map<Dependence, HandOver> handOvers(const Model &model, const Communication &communication,
                                         std::span<const Dependence> asked) {
  std::map<LaunchIndex, std::vector<Dependence>> byKernel;
  for (const Dependence &dependence : asked)
    if (dependence.dependence.order == DependenceOrder::InsideLaunch && dependence.first.launch != kHost &&
        dependence.second.launch != kHost)
      byKernel[dependence.second.launch].push_back(dependence);
  if (byKernel.empty())
    return {};
  const std::vector<std::uint32_t> places = sourceAccessesOf(model), firstSites = firstSitesOf(model);
  const std::vector<LaunchIndex> kernels = kernelsOf(model);
  std::map<Dependence, HandOver> found;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const LaunchInfo &launch = model.launches()[i];
    const trace::Module *const module = model.moduleOf(launch);
    const auto dependences = byKernel.find(kernels[i]);
    if (dependences == byKernel.end() || !launch.launch.traced)
      continue;
    const bool mayHandOver = module && std::ranges::any_of(module->sites, isStrong);
    std::set<std::uint32_t> wanted;
    for (const Dependence &dependence : dependences->second)
      wanted.insert({dependence.first.site, dependence.second.site});
    std::optional<LaunchActs> acts;
    if (mayHandOver)
      acts.emplace(model, launch,
                   std::span(places).subspan(firstSites[static_cast<std::size_t>(launch.launch.module)],
                                             module->sites.size()),
                   wanted);
    const auto between = [&](const KernelSite &first, const KernelSite &second) {
      return acts->between(first.site, second.site, isStrong(*communication.sites[second.site].site));
    };
    for (const Dependence &dependence : dependences->second) {
      // Which of them stands first in the trace, of several blocks, says nothing.
      const HandOver here = acts ? std::max(between(dependence.first, dependence.second),
                                            between(dependence.second, dependence.first))
                                 : HandOver::None;
      HandOver &least = found.try_emplace(dependence, here).first->second;
      least = std::min(least, here);
    }
  }
  std::erase_if(found, [](const auto &entry) { return entry.second == HandOver::None; });
  return found;
}

} // namespace cupr::analysis

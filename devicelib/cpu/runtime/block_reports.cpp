/// What Block tells the user: where its lanes are, and what they wait for.
#include "block_switch.h"

#include "devicelib/abi/source_name.h"
#include "devicelib/abi/standard_error.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unordered_set>

namespace cupr::cpu {

namespace {

bool samePlace(const char *a, const char *b) { return a == b || (a && b && std::strcmp(a, b) == 0); }

std::string hexMask(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::string inBrackets(const char *where) { return where ? std::string(" (") + where + ")" : std::string(); }

} // namespace

std::string Block::place() const {
  const LaneState &state = __cupr_cpu_lane;
  char text[160];
  std::snprintf(text, sizeof text, ", block (%u,%u,%u)", state.ctaid[0], state.ctaid[1], state.ctaid[2]);
  return "kernel " + abi::sourceName(shape_.kernel->name) + text;
}

std::string Block::lanePlace() const {
  const LaneState &state = __cupr_cpu_lane;
  char text[160];
  std::snprintf(text, sizeof text, ", thread (%u,%u,%u)", state.position.tid[0], state.position.tid[1],
                state.position.tid[2]);
  return place() + text;
}

/// Of the lanes `mask` of warp `w`, those in the same place as the lowest of them.
std::uint32_t Block::beside(unsigned w, std::uint32_t mask) const {
  const char *const where = lanes_[w * 32 + lowestLane(mask)].where;
  std::uint32_t found = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1)
    if (samePlace(lanes_[w * 32 + lowestLane(rest)].where, where))
      found |= 1u << lowestLane(rest);
  return found;
}

/// The barrier that a lane of a deadlocked block waits at.
unsigned Block::barrierOf(unsigned lane) const {
  unsigned number = 0;
  while (number < kBarriers - 1 && !(barriers_[number].warps[lane / 32].waiting & laneBit(lane)))
    ++number;
  return number;
}

/// ... and of those, the lanes that wait for the same. In a deadlock, lanes wait at warp operations and
/// barriers.
std::uint32_t Block::waitingAlike(unsigned w, std::uint32_t mask) const {
  const unsigned first = w * 32 + lowestLane(mask);
  std::uint32_t alike = beside(w, mask);
  if (isAtCluster(first))
    return alike & clusterWaiting_[w];
  if (warps_[w].atOperation & laneBit(first)) {
    alike &= warps_[w].atOperation;
    for (std::uint32_t rest = alike; rest; rest &= rest - 1)
      if (operations_[w * 32 + lowestLane(rest)].mask != operations_[first].mask)
        alike &= ~(rest & -rest);
    return alike;
  }
  return alike & barriers_[barrierOf(first)].warps[w].waiting;
}

/// Threads that wait at one place for the same are named once, by the first warp in which there are any: a block has
/// a thousand threads, and a reader one screen.
std::string Block::deadlockReport() const {
  struct Group {
    unsigned first, barrier;
    std::uint32_t lanes; ///< of the first's warp
    unsigned moreThreads = 0, moreWarps = 0;
  };
  std::vector<Group> groups;
  const auto atOperation = [&](unsigned lane) {
    return (warps_[lane / 32].atOperation & laneBit(lane)) != 0;
  };
  for (unsigned w = 0; w < warpCount_; ++w)
    for (std::uint32_t rest = warps_[w].alive; rest;) {
      const unsigned first = w * 32 + lowestLane(rest), barrier = barrierOf(first);
      const std::uint32_t lanes = waitingAlike(w, rest);
      const auto alike = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
        return group.first / 32 != w && samePlace(lanes_[group.first].where, lanes_[first].where) &&
               atOperation(group.first) == atOperation(first) &&
               (atOperation(first) || group.barrier == barrier);
      });
      if (alike == groups.end()) {
        groups.push_back({first, barrier, lanes});
      } else {
        alike->moreThreads += static_cast<unsigned>(std::popcount(lanes));
        ++alike->moreWarps;
      }
      rest &= ~lanes;
    }

  constexpr std::size_t kMostGroups = 8;
  std::string report =
      place() + ": deadlock: none of the " + std::to_string(alive_) + " threads left can go on:";
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
    const Group &group = groups[i];
    report += " warp " + std::to_string(group.first / 32) + ", lanes " + hexMask(group.lanes);
    report += isAtCluster(group.first) ? " wait at the barrier of the cluster"
              : atOperation(group.first)
                  ? " wait for the lanes " + hexMask(operations_[group.first].mask)
                  : " wait at barrier " + std::to_string(group.barrier) + ", where " +
                        std::to_string(barriers_[group.barrier].arrived) + " have arrived";
    report += inBrackets(lanes_[group.first].where);
    if (group.moreWarps)
      report += ", and likewise " + std::to_string(group.moreThreads) + " threads of " +
                std::to_string(group.moreWarps) + " more warps";
    report += ";";
  }
  if (groups.size() > kMostGroups)
    report += " and so on in " + std::to_string(groups.size() - kMostGroups) + " more places;";
  return report;
}

/// Says, once for a kernel, that threads of warp `w` meet at one barrier from different places.
void Block::warnOfDivergentBarrier(unsigned w, std::uint32_t mask) const {
  static std::mutex mutex;
  static auto *const told = new std::unordered_set<const abi::CpuKernel *>;
  {
    std::lock_guard lock(mutex);
    if (!told->insert(shape_.kernel).second)
      return;
  }
  std::string text = place() + ": threads of warp " + std::to_string(w) +
                     " are at different barriers, which is undefined on a GPU:";
  while (mask) {
    const std::uint32_t group = beside(w, mask);
    text += " lanes " + hexMask(group) + inBrackets(lanes_[w * 32 + lowestLane(mask)].where) + ";";
    mask &= ~group;
  }
  abi::say("cuprewrite: CPU device: %s\n", text.c_str());
}

} // namespace cupr::cpu

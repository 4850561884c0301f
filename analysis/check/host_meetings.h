/// Accesses of the host's code that met one of an act that the host had not waited for; and by what the host may have learned of acts.
#ifndef CUPR_ANALYSIS_HOST_MEETINGS_H
#define CUPR_ANALYSIS_HOST_MEETINGS_H

#include "fault.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Of one place of the host's code, one act and one of its sites: the first, by access and address.
struct HostMeeting {
  std::size_t access = 0; ///< index among the host's
  FaultPlace other;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint64_t count = 0;
  bool isOneStrong = false; ///< atomic or volatile
};

/// The host has looked, atomically or by a volatile load, at what the act writes.
struct HostLook {
  Act act = kNoAct;
  std::uint64_t after = 0; ///< as of HostAccess
  friend auto operator<=>(const HostLook &, const HostLook &) = default;
};

class HostMeetings {
public:
  void meet(const HostMeeting &met, std::uint32_t place) {
    const auto [found, isNew] = met_.size() < kMost
                                    ? met_.try_emplace({place, met.other.act, met.other.site}, met)
                                    : std::pair(met_.find({place, met.other.act, met.other.site}), false);
    if (isNew || found == met_.end())
      return;
    const std::uint64_t count = found->second.count + met.count;
    if (std::pair(met.access, met.address) < std::pair(found->second.access, found->second.address))
      found->second = met;
    found->second.count = count;
  }
  void look(const HostLook &look) {
    // The earliest look at an act says all.
    const auto [found, isNew] = looks_.try_emplace(look.act, look.after);
    if (!isNew && look.after < found->second)
      found->second = look.after;
  }
  /// The act writes, for the whole system, what the host can see: that may tell it how far the act is.
  void tells(Act act) { telling_.insert(act); }

  using Key = std::tuple<std::uint32_t, Act, std::uint32_t>; ///< place, act, site
  const std::map<Key, HostMeeting> &met() const { return met_; }
  const std::map<Act, std::uint64_t> &looks() const { return looks_; }
  const std::set<Act> &telling() const { return telling_; }
  void forgetMet() { met_.clear(); }

private:
  static constexpr std::size_t kMost = 65536;
  std::map<Key, HostMeeting> met_;
  std::map<Act, std::uint64_t> looks_; ///< the earliest one's `after`
  std::set<Act> telling_;
};

} // namespace cupr::analysis

#endif

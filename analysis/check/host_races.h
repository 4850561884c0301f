/// Races of the host's code with work that the host has not waited for.
///
/// Which of the host's accesses meet such work, shards of memory find. What they found is told when all of them are through: by another access
/// the host may have learned that the work is over, and then nothing is claimed of it, and of what was before it:
/// - it has looked, atomically or by a volatile load, at what the work writes;
/// - the work writes for the whole system (volatile, atomic_ref, a fence of the system) what the host can see.
/// Nor is anything claimed of calls that do not say that they are asynchronous: what they have waited for, CUDA does not promise, and
/// programs count on.
#ifndef CUPR_ANALYSIS_HOST_RACES_H
#define CUPR_ANALYSIS_HOST_RACES_H

#include "fault_list.h"
#include "memory_lifetimes.h"
#include "memory_shard.h"

#include "analysis/model/host_paths.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

class HostRaces {
public:
  /// The model outlives it. `isWhole`: it does not grow.
  HostRaces(const Model &model, bool isWhole) : model_(model), isWhole_(isWhole) {}

  /// Takes what the model has got since, as the others have.
  void extend(const Ordering &ordering, const MemoryLifetimes &lifetimes);
  /// Whether code of the host accesses anything while the act may run: of an act that the model had at the last extend(). Where the model
  /// grows, it may come to that.
  bool mayMeet(Act act) const { return meets_[static_cast<std::size_t>(act)]; }
  HostStep stepOf(std::size_t access, const Range &range) const {
    return {model_.host().accesses[access], access, places_[access], range, ends_[access]};
  }
  /// The act may tell the host how far it is.
  void tells(Act act) { telling_.insert(act); }
  /// Adds to `faults` what the shards have found since.
  void tell(const std::vector<std::unique_ptr<MemoryShard>> &shards, const Ordering &ordering,
            const MemoryLifetimes &lifetimes, FaultList &faults);

private:
  void takeActs(const Ordering &ordering);
  void takeAccesses(const MemoryLifetimes &lifetimes);
  std::uint32_t placeOf(std::size_t access);
  FaultPlace firstLike(const FaultPlace &other, std::uint32_t place, const Ordering &ordering,
                       const HostPaths &paths);
  bool mayKnow(Act act, std::uint64_t after, const Ordering &ordering) const;

  const Model &model_;
  const bool isWhole_;
  std::size_t events_ = 0;                ///< that were taken
  std::vector<bool> meets_ = {false};     ///< by act
  std::vector<bool> isClaimed_ = {false}; ///< by act: it is a launch, or says that it is asynchronous
  std::vector<std::uint32_t> places_;     ///< by access
  std::vector<std::uint64_t> ends_;       ///< by access
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t>
      placeOfCode_;                    ///< by object and offset, or by place
  std::vector<std::uint32_t> byAfter_; ///< accesses, by the act behind which they were made
  /// By place of an access, object and offset of a call, and what it does.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>, FaultPlace> firstOfCall_;
  std::map<Act, std::uint64_t> looks_;
  std::set<Act> telling_;
};

} // namespace cupr::analysis

#endif

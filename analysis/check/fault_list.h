/// Faults, each counted with those that are alike.
#ifndef CUPR_ANALYSIS_FAULT_LIST_H
#define CUPR_ANALYSIS_FAULT_LIST_H

#include "call_places.h"
#include "fault.h"
#include "site_traits.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace cupr::analysis {

/// Sums of several lists are the same in whatever order they are made.
class FaultList {
public:
  /// By launch, the first launch of its kernel in its module, whose sites numbers are of, and the module; and where copies and sets are
  /// called, null: each is by itself. All outlive this.
  FaultList(const std::vector<LaunchIndex> &kernels, const std::vector<const ModuleTraits *> &modules,
            CallPlaces *calls = nullptr)
      : kernels_(kernels), modules_(modules), calls_(calls) {}

  void add(const Fault &fault);
  /// The other one has none then.
  void add(FaultList &&other);
  std::vector<Fault> faults() const;
  /// Those of which there was none when this was asked last.
  std::vector<Fault> takeNew();
  /// One that is alike.
  bool has(const Fault &fault) const { return faults_.contains(keyOf(fault)); }

private:
  /// Rule, space, kernel and site of both places.
  using Key = std::tuple<FaultRule, abi::MemorySpace, LaunchIndex, std::uint32_t, LaunchIndex, std::uint32_t,
                         std::uint32_t>;
  Key keyOf(const Fault &fault) const;

  const std::vector<LaunchIndex> &kernels_;
  const std::vector<const ModuleTraits *> &modules_;
  CallPlaces *const calls_;
  std::map<Key, Fault> faults_;
  std::vector<Key> new_;
  Fault *last_ = nullptr; ///< the one that was added to
  Key lastKey_{};
};

} // namespace cupr::analysis

#endif

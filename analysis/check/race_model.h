/// What counts as a race, where the field has more than one answer.
#ifndef CUPR_ANALYSIS_RACE_MODEL_H
#define CUPR_ANALYSIS_RACE_MODEL_H

namespace cupr::analysis {

enum class RaceModel {
  /// PTX's memory model: atomic and volatile accesses never race, if their scopes hold both threads; a fence is needed on both sides.
  Ptx,
  /// As detectors of scoped races have it (Kamath, George, Basu, ScoRD, ISCA 2020): volatile accesses are data, which only go past the L1 cache. So
  /// they must be ordered as plain ones, and flags be atomic; but what is volatile or atomic behind a look at a flag is behind it, with no
  /// fence. Who takes a lock needs one.
  Scoped
};

constexpr const char *raceModelName(RaceModel model) { return model == RaceModel::Ptx ? "ptx" : "scoped"; }

} // namespace cupr::analysis

#endif

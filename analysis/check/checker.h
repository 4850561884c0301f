/// Whether a program uses memory as it may: races, reads of what nobody wrote, addresses that are nobody's, barriers.
///
/// How: the trace is read once, a batch of chunks at a time. The chunks are taken apart, by many threads; then their records are
/// gone through in order, blocks of each part of a launch by one thread, and with each it is noted what its warp knows of others
/// (LaunchOrder); then shards of memory are gone through, by many threads (MemoryShard). Memory follows what one launch accesses, and which bytes were ever written; there is a
/// bound, and where it does not suffice, that is said.
///
/// What is found is so; it is not all that there could be, since it is what happened in this run.
#ifndef CUPR_ANALYSIS_CHECKER_H
#define CUPR_ANALYSIS_CHECKER_H

#include "fault.h"
#include "race_model.h"
#include "unchecked.h"

#include "analysis/output/progress.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cupr::analysis {

struct CheckOptions {
  unsigned threads = 0;     ///< 0: one per processor
  std::uint64_t memory = 0; ///< bytes, about, for what launches access; 0: 2 GiB
  RaceModel model = RaceModel::Ptx;
  Progress *progress = nullptr;
};

struct Checked {
  std::vector<Fault> faults; ///< by rule, then by launch
  std::vector<Unchecked> unchecked;
  RaceModel model = RaceModel::Ptx;
  std::uint64_t launches = 0, accesses = 0; ///< that were looked at; accesses of threads
};

/// Throws BadTrace, trace::TooMuch.
Checked check(const Model &model, const CheckOptions &options = {});

/// The same of a trace that is being written (Model::readOn). What memory holds is kept, so each launch is looked at once.
class GrowingCheck {
public:
  /// The model outlives it.
  explicit GrowingCheck(const Model &model, const CheckOptions &options = {});
  ~GrowingCheck();
  GrowingCheck(const GrowingCheck &) = delete;
  GrowingCheck &operator=(const GrowingCheck &) = delete;

  /// Looks at what the model has got since, with the same `growth` (Model::readOn), and gives the faults that there were none like before,
  /// as Checked has them. Throws as check() does.
  std::vector<Fault> extend(Growth growth);
  /// All of it, when that is over.
  Checked result() const;

private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

} // namespace cupr::analysis

#endif

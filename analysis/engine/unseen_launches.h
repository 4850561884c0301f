/// Launches of which the trace doesn't hold all, and what they may have done to memory between two acts.
#ifndef CUPR_ANALYSIS_UNSEEN_LAUNCHES_H
#define CUPR_ANALYSIS_UNSEEN_LAUNCHES_H

#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <map>
#include <vector>

namespace cupr::analysis {

/// Not traced, recorded in part, or records are missing.
inline bool isUnseen(const LaunchInfo &launch) {
  return !launch.launch.traced || !launch.launch.ctas.isAll() || !launch.complete();
}

class UnseenLaunches {
public:
  UnseenLaunches(const Model &model, const Ordering &ordering);

  /// Whether an unseen launch may run behind `writer`, or beside it, and not behind `reader`: of an unseen
  /// launch that wrote, the part that wasn't seen may.
  bool mayRunBetween(Act writer, Act reader) const;
  /// Whether one, other than `act`, may run behind it or beside it.
  bool mayRunBehind(Act act) const;
  /// Those that have unseen launches: what an answer takes is in proportion to them.
  std::size_t streams() const { return byStream_.size(); }

private:
  bool anyBeside(Act writer) const;

  const Ordering &ordering_;
  std::vector<Act> acts_;                              ///< in the order of the calls
  std::map<std::uint32_t, std::vector<Act>> byStream_; ///< likewise
};

} // namespace cupr::analysis

#endif

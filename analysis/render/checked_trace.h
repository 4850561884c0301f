/// What the check finds in a trace, in words: `check` prints it, and `report` shows it in its page.
#ifndef CUPR_ANALYSIS_CHECKED_TRACE_H
#define CUPR_ANALYSIS_CHECKED_TRACE_H

#include "shown_faults.h"

#include "analysis/metrics/shown_part.h"

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace cupr::analysis {

class CheckedTrace {
public:
  /// Memory is followed through all launches; of the faults those stay that are of the launches and the file of `selection`. The model,
  /// of whole launches, outlives it. Throws as check() and LaunchFilter do.
  CheckedTrace(const Model &model, const PartSelection &selection, const CheckOptions &options = {});
  CheckedTrace(const CheckedTrace &) = delete;
  CheckedTrace &operator=(const CheckedTrace &) = delete;

  const Model &model() const { return model_; }
  const Checked &checked() const { return checked_; }
  const std::vector<ShownFault> &faults() const { return faults_; }
  /// Source files that faults are in, as their places name them.
  std::set<std::string> files() const;

  /// Leaves out those that this is so of; gives how many.
  std::size_t leaveOut(const std::function<bool(const ShownFault &)> &isOut) {
    return std::erase_if(faults_, isOut);
  }

private:
  /// The filter first: what is wrong with it is said before the work.
  CheckedTrace(const Model &model, const PartSelection &selection, const LaunchFilter &launches,
               const CheckOptions &options);

  const Model &model_;
  const Checked checked_;
  std::vector<ShownFault> faults_; ///< of those in checked_
};

} // namespace cupr::analysis

#endif

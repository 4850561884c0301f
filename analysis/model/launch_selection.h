/// Which launches of a trace are looked at.
#ifndef CUPR_ANALYSIS_LAUNCH_SELECTION_H
#define CUPR_ANALYSIS_LAUNCH_SELECTION_H

#include "model.h"

#include <cstdint>
#include <regex>
#include <string>

namespace cupr::analysis {

struct LaunchSelection {
  std::uint64_t launch = 0; ///< 0: all
  std::string kernel;       ///< regular expression, found anywhere in the name; empty: all

  bool isAll() const { return launch == 0 && kernel.empty(); }
  std::string text() const;
  /// Throws std::runtime_error where no launch is selected, with those that there are.
  void mustSelect(const Model &model) const;
};

/// A selection, ready to be asked for each launch.
class LaunchFilter {
public:
  explicit LaunchFilter(const LaunchSelection &selection)
      : launch_(selection.launch), hasPattern_(!selection.kernel.empty()), pattern_(selection.kernel) {}
  bool has(const LaunchInfo &launch) const;

private:
  const std::uint64_t launch_;
  const bool hasPattern_;
  const std::regex pattern_;
};

} // namespace cupr::analysis

#endif

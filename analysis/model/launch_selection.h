/// Which launches of a trace are looked at, in Nsight Compute's words where it has some.
#ifndef CUPR_ANALYSIS_LAUNCH_SELECTION_H
#define CUPR_ANALYSIS_LAUNCH_SELECTION_H

#include "hostlib/trace/kernel_choice.h"
#include "model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

namespace cupr::analysis {

/// A launch is selected by all that is said of it here.
struct LaunchSelection {
  std::uint64_t launch = 0; ///< the program's number; 0: all
  std::string kernel;       ///< regular expression, found anywhere in the name; empty: all
  std::string kernelName, namePart = "function"; ///< as trace::kernelChoice takes them; no name: all
  std::uint64_t skip = 0, count = UINT64_MAX;    ///< of those that the others select: these, then so many

  bool isAll() const {
    return launch == 0 && kernel.empty() && kernelName.empty() && skip == 0 && count == UINT64_MAX;
  }
  std::string text() const;
};

/// A selection, ready to be asked for each launch.
class LaunchFilter {
public:
  /// Throws std::runtime_error where something is selected and nothing is there for it, with what there is; std::regex_error for an
  /// expression that is none.
  LaunchFilter(const LaunchSelection &selection, const Model &model);
  bool has(const LaunchInfo &launch) const {
    return !numbers_ || numbers_->contains(static_cast<std::uint64_t>(launch.number));
  }

  bool isAll() const { return !numbers_; }
  const std::string &text() const { return text_; }

private:
  std::string text_;
  std::optional<std::unordered_set<std::uint64_t>> numbers_; ///< none: all
};

} // namespace cupr::analysis

#endif

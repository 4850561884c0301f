/// Which part of a trace's results is shown.
///
/// Who wrote what a launch read is known only where all launches are followed, whatever is chosen. So all are, and choosing comes behind:
/// what is summed up over launches is summed over the chosen ones; of what two launches have in common, that is shown which a chosen one has
/// part in; and what can't be told apart stays of the whole program, and is called so (docs/result-formats.md says it of each table).
#ifndef CUPR_ANALYSIS_SHOWN_PART_H
#define CUPR_ANALYSIS_SHOWN_PART_H

#include "analysis/engine/communication.h"
#include "analysis/model/launch_selection.h"
#include "analysis/model/record_selection.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// What the command line chooses.
struct PartSelection {
  LaunchSelection launches{};
  RecordSelection records{};

  bool isAll() const { return launches.isAll() && records.isAll(); }
  /// Launches and blocks whose accesses are looked at, whatever file they are in.
  PartSelection ofAllFiles() const {
    PartSelection all = *this;
    all.records.file.clear();
    return all;
  }
};

/// A selection, ready to be asked.
class ShownPart {
public:
  /// All of it.
  ShownPart() = default;
  /// Throws std::runtime_error where something is selected and nothing is there for it, with what there is.
  ShownPart(const Model &model, PartSelection selection);

  const PartSelection &selection() const { return selection_; }
  bool isAll() const { return selection_.isAll(); }
  /// Whether all accesses of all launches are in it, but for those in other files.
  bool hasAllBlocks() const { return ofAllFiles_.isAll(); }
  /// What is chosen, in words; empty: all is.
  std::string text() const;
  /// How many launches, phases counted with theirs.
  std::size_t calls(const Model &model) const;

  /// kHost: the host is part of what is shown of all launches.
  bool has(LaunchIndex launch) const { return launches_.empty() || (launch != kHost && launches_[launch]); }
  bool hasBlock(const Model &model, LaunchIndex launch, std::uint64_t cta) const {
    return has(launch) && (blocks_.empty() ||
                           (launch != kHost && isBlock(blocks_, model.launches()[launch].launch.grid, cta)));
  }
  bool hasFile(std::string_view file) const {
    return selection_.records.file.empty() || isEndOfPath(file, selection_.records.file);
  }
  /// An access of the source by a kernel, in any of its launches.
  bool hasPlace(LaunchIndex kernel, std::string_view file) const {
    return (kernels_.empty() || (kernel != kHost && kernels_[kernel])) && hasFile(file);
  }

private:
  PartSelection selection_, ofAllFiles_;
  std::vector<bool> launches_; ///< by launch; empty: all
  std::vector<bool> kernels_;  ///< by a kernel's first launch: one of its launches is shown; empty: all
  std::vector<std::uint64_t> blocks_; ///< as blockNumbers
};

} // namespace cupr::analysis

#endif

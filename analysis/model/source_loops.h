/// In which loops of the source the place of a frame lies (devicelib/abi/source_loops.h), as the trace's tables of loops say.
#ifndef CUPR_ANALYSIS_SOURCE_LOOPS_H
#define CUPR_ANALYSIS_SOURCE_LOOPS_H

#include "model.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace cupr::analysis {

enum class LoopSide : std::uint8_t { Host, Device };

/// The model must outlive this.
class SourceLoops {
public:
  explicit SourceLoops(const Model &model);

  /// Those of its function that the place lies in, outermost first; valid until the next call. None where the line is 0: not known. Its cost
  /// is taken from the model's limit.
  const std::vector<abi::SourceLoop> &at(LoopSide side, std::string_view file, std::uint32_t line,
                                         std::uint32_t column);

private:
  const Model &model_;
  std::map<std::string_view, abi::LoopNest> files_[2]; ///< by side
  std::vector<abi::SourceLoop> found_;
};

} // namespace cupr::analysis

#endif

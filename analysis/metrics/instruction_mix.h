/// What instructions kernels executed, by class, line and chain of calls, of programs that were built to record it (cupr++ --instructions).
///
/// The trace says how often each part of a function was run, by which lanes; its sites say what instructions it has. Both together are exact
/// counts, since all instructions of a part run together (cuprewrite/pass/executed_regions.h).
#ifndef CUPR_ANALYSIS_INSTRUCTION_MIX_H
#define CUPR_ANALYSIS_INSTRUCTION_MIX_H

#include "access_key.h"
#include "analysis/model/launch_selection.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cupr::analysis {

struct ExecutedCount {
  std::uint64_t instructions = 0; ///< by warps
  std::uint64_t threads = 0;      ///< the same, by the threads that were active
  ExecutedCount &operator+=(const ExecutedCount &more) {
    instructions += more.instructions;
    threads += more.threads;
    return *this;
  }
  friend bool operator==(const ExecutedCount &, const ExecutedCount &) = default;
};

/// By class.
struct InstructionMix : std::map<std::string, ExecutedCount, std::less<>> {
  ExecutedCount sum() const;
  InstructionMix &operator+=(const InstructionMix &more);
};

/// By place: keys have no column and no bytes, and their operation is abi::Operation::Instructions.
using InstructionMixes = std::map<AccessKey, InstructionMix>;

/// Of an access, or of instructions: the key of its line.
AccessKey lineOf(AccessKey key);

/// Of a site, by class.
using VisitExecuted = std::function<void(const trace::Site &, std::string_view, const ExecutedCount &)>;
/// What was executed where a region was, whose records `region` counts: of its first site, and those that follow it. Throws BadTrace where a site
/// says something else than how many instructions of which class it has.
void forEachExecuted(const trace::Module &module, std::uint32_t first, const ExecutedCount &region,
                     const VisitExecuted &visit);

/// Whether the program was built to record what is executed.
bool recordsInstructions(const Model &model);

/// Throws as forEachExecuted does, and trace::TooMuch.
InstructionMixes instructionMixes(const Model &model, const LaunchSelection &selection = {});

} // namespace cupr::analysis

#endif

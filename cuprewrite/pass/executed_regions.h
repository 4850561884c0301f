/// The parts of a body whose instructions run together, and what each line of them executes: where an instruction mix is counted.
///
/// Problem: to count every instruction, each block of a function has to be counted, and a hook in each would cost more than the
/// program. But blocks run together: behind `if (x) a; b;` b runs as often as what is in front of the `if`. So blocks are put together
/// to *regions*: a block joins one that runs before it whatever happens (it dominates), behind which it runs whatever happens (it
/// post-dominates), and that is in the same loops. A region is counted where its first block begins, and the record of that stands for
/// all its instructions.
///
///     entry:  %i = ... ; br %c, then, end      region 1: entry, end
///     then:   store ...; br end                region 2: then
///     end:    store ...; ret
///
/// A region has a site for each line, and call that was inlined, that its instructions come from. Records are of the first of them; the
/// others happen whenever it does (abi::kSiteFollows).
#ifndef CUPR_PASS_EXECUTED_REGIONS_H
#define CUPR_PASS_EXECUTED_REGIONS_H

#include "llvm/IR/Function.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cupr::pass {

/// How many instructions of each class (instruction_class.h).
using InstructionMix = std::map<std::string, std::uint64_t>;
/// `compute.fp32.fma=2 memory.global.load.32=1`, as it stands in the site's name.
std::string textOf(const InstructionMix &mix);

/// What the instructions of a region do that come from one line, inlined through the same calls.
struct ExecutedLine {
  const llvm::Instruction *at; ///< one of them
  InstructionMix mix;
};

struct ExecutedRegion {
  llvm::Instruction *first = nullptr; ///< in front of which it is counted
  std::vector<ExecutedLine> lines;    ///< never empty
};

/// Whether what is executed is to be recorded (-cupr-instructions).
bool recordsInstructions();

/// In the order of their first blocks; those that execute nothing are left out. `mixes`: of the function's instructions, those that have any.
std::vector<ExecutedRegion> executedRegions(llvm::Function &function,
                                            const std::map<const llvm::Instruction *, InstructionMix> &mixes);

} // namespace cupr::pass

#endif

/// Why a pointer is global, or not, or not provable: the way back from the pointer to
/// its sources.
///
/// The analysis computes spaces forwards and remembers no reasons: they are wanted for the
/// static report alone, and a fixpoint that carries them would be slower and harder to
/// read. So the explanation asks afterwards, walking backwards along the def-use
/// chains: through casts, offsets, phi and select; from an argument to what each caller that leads to this
/// context passes; from a call to what the callee's context returns; from a local variable to what is stored
/// in it. It ends at sources: parameters, variables, loads from memory, code out of sight.
///
/// The verdict stays the analysis'. An explanation only finds words for it.
#ifndef CUPR_PASS_EXPLANATION_H
#define CUPR_PASS_EXPLANATION_H

#include "analysis.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace cupr::pass {

struct Explanation {
  struct Source {
    std::string what; ///< "kernel parameter `in`"
    Space space = Space::Both;
    /// The argument of the explained function through which it came: "argument `d` in calls from `k`".
    std::string via;
  };
  std::vector<Source> sources;

  /// One sentence: "kernel parameter `in`", "may be shared variable `tile` or kernel parameter `in`".
  std::string text(Space verdict) const;
};

Explanation explain(const AddressSpaceAnalysis &analysis, const Context &context, const llvm::Value *pointer);

/// A verdict as the static report has it.
const char *spaceText(Space space);

/// The function's name as a person writes it, without parameters: `ns::copy<float>`.
std::string shortName(llvm::StringRef mangled);
/// With the indices of the global arguments, as the source counts them: `copy{0,1}`. A kernel has no pattern.
std::string cloneText(const Context &context);

} // namespace cupr::pass

#endif

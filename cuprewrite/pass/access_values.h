/// The values of accesses (devicelib/abi/value_record.h): whose are recorded, and where the registers are that hold them.
///
///     -cupr-values=all
///     -cupr-values=heat.cu:12,relax     the accesses of a line, and those in functions whose name holds a match
///
/// Values come from registers: memory may have changed when somebody reads it again. A copy that goes through none
/// (`llvm.memcpy`) is made one that does, where it is short enough; others have no values.
///
///     -cupr-clock                       when each access is made: a clock is recorded as a value is
#ifndef CUPR_PASS_ACCESS_VALUES_H
#define CUPR_PASS_ACCESS_VALUES_H

#include "access.h"
#include "source_place.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Regex.h"

#include <string>
#include <utility>
#include <vector>

namespace cupr::pass {

/// Which accesses are asked for.
class ValueChoice {
public:
  /// What the option says.
  explicit ValueChoice(const SourcePlaces &places);

  /// Whether any are.
  static bool isAny();
  /// Whether the values of this access are to be recorded, and can be.
  bool wants(const Access &access) const;

private:
  bool isChosen(const llvm::Instruction &instruction) const;

  const SourcePlaces &places_;
  std::vector<std::pair<std::string, unsigned>> lines_; ///< a path's end, and a line of that file
  mutable std::vector<llvm::Regex> functions_;
};

/// Whether what accesses read and write is recorded, of some at least.
bool recordsValues();
/// Whether it is recorded when accesses are made.
bool recordsClocks();
/// The largest access whose values are recorded.
std::uint32_t largestValue();

/// Whether the access's own instruction brings one of its values, so that they are known behind it.
bool isKnownBehind(const Access &access);

/// Of each of the access's values.
std::uint32_t valueBytesOf(const Access &access);

/// The pieces of an access's values as numbers of 64 bits, in the order of their records. `mapped` gives the value of the body at
/// hand for one of the original.
llvm::SmallVector<llvm::Value *, 8> piecesOf(const Access &access, llvm::IRBuilder<> &builder,
                                             llvm::function_ref<llvm::Value *(llvm::Value *)> mapped);

} // namespace cupr::pass

#endif

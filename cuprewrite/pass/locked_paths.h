/// What a thread does behind taking a lock, whatever it reads there.
///
///     lock(); x = *data; unlock(); *data = 1;      // race: who takes the lock next reads while this stores
///     lock(); isLast = ++count == 2; unlock();
///     if (isLast) *data = 1;                       // none: who stores came last, as it read under the lock
///
/// A trace has one of the orders in which threads had a lock. What the other order would have been like is known only of accesses that
/// depend on nothing that was read since: they would be made as well, and at the same place. These are
/// those that the taking always leads to, with an address that is made of what was known before.
///
/// Too few are found: the lock must be taken in the same function, where calls are inlined.
#ifndef CUPR_PASS_LOCKED_PATHS_H
#define CUPR_PASS_LOCKED_PATHS_H

#include "access.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

#include <optional>

namespace cupr::pass {

class LockedPaths {
public:
  explicit LockedPaths(llvm::Function &function);

  /// Whether a lock may have been taken in front of it, and it is made regardless of what was read since the first one was.
  bool isRegardless(const Access &access) const;

private:
  llvm::SmallVector<const llvm::Instruction *, 2> takings_;
  std::optional<llvm::DominatorTree> dominators_; ///< if there are any
  std::optional<llvm::PostDominatorTree> postDominators_;
};

} // namespace cupr::pass

#endif

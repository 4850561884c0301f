/// Lets host code tell the runtime of its accesses to memory that the device may be at (devicelib/abi/host_access.h).
///
/// The problem: nothing sees what the host loads and stores. A call for each access would make host code ten times slower, and nearly all accesses
/// are to memory that no kernel reaches, or happen while none runs.
///
/// So the accesses of the optimised code have a filter in front, a subtraction and a comparison with a range that is empty while nothing
/// runs, and behind it, out of the way, the call. Accesses that can reach nothing of others have none: to variables on the stack whose
/// address nobody gets, constants, thread-local variables, variables of the file that are only loaded and stored. Nor has an
/// access whose place was told of before in the same block, with no call in between.
#ifndef CUPR_LANGUAGE_HOST_ACCESSES_H
#define CUPR_LANGUAGE_HOST_ACCESSES_H

#include "llvm/IR/Module.h"

namespace cupr::language {

/// `module`: of the host, optimised. Returns whether it was changed.
bool tellHostAccesses(llvm::Module &module);

} // namespace cupr::language

#endif

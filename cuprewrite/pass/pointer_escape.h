/// Whether pointers to other memory than global get into global memory.
///
/// The analysis wants to take a pointer that is loaded from global memory for a pointer to global
/// memory. That holds if it holds for all that the module puts there: the host knows no other pointers. Here
/// the whole module is searched for an exception, without contexts and without regard to order.
///
/// A pointer is *harmless* if it certainly leads to global memory. All memory is taken for clean, that
/// is without harmful pointers, but for what a function has for itself (storage.h). A harmful pointer
/// leaks when it is written to any memory but those:
/// - as a pointer, by a store or an exchange;
/// - as an integer made from it, or a part of that;
/// - as bytes of a local variable: one that holds it and is read as something else than pointers, is
///   copied elsewhere, or whose address gets out of sight.
#ifndef CUPR_PASS_POINTER_ESCAPE_H
#define CUPR_PASS_POINTER_ESCAPE_H

#include "llvm/IR/Module.h"

namespace cupr::pass {

bool pointersEscape(const llvm::Module &module);

} // namespace cupr::pass

#endif

/// Lets `__host__ __device__` functions call functions of one side alone, as with nvcc.
///
///     template <class F> __host__ __device__ void apply(F f) { f(); }   // f may be a host's: std::puts, a class's destructor
///
/// nvcc warns (20011, 20014) and compiles the call, which must not be reached on the wrong side. For clang it is an error as
/// soon as code of that side reaches the caller: it notes the message with the caller, and gives it at the end of the translation
/// unit if code is made for the caller. There the messages are turned into warnings, and their functions are given a
/// body that traps: a kernel that gets there ends with an error, a program is stopped.
#ifndef CUPR_LANGUAGE_HOST_CALLS_H
#define CUPR_LANGUAGE_HOST_CALLS_H

#include <set>
#include <string>

namespace clang {
class Sema;
}
namespace llvm {
class Module;
}

namespace cupr::language {

/// Linkage names of functions that are called on the wrong side.
using WrongSideFunctions = std::set<std::string>;

/// To be called before the parse begins. `found` is filled at its end, and must outlive it; null: the names are not needed.
void acceptHostCalls(clang::Sema &sema, WrongSideFunctions *found);

/// Gives the functions bodies that trap.
void trapIn(llvm::Module &module, const WrongSideFunctions &functions);

} // namespace cupr::language

#endif

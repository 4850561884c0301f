/// Joins functions that files of one device program know with different signatures.
///
/// The rewriter gives a device function the trace parameter unless its address is used. A file that
/// takes the address keeps `f(int)`, another one, which doesn't see that, has `f(Trace const &, int)`. One of
/// the two is defined; the other one becomes a call of it:
///
///     declare i32 @f(i32)                             define internal i32 @f(i32 %i) {
///     define i32 @f.Trace(ptr %trace, i32 %i) { ... }   %trace = call ptr @__cupr_current_v6()
///                                              ==>      %r = call i32 @f.Trace(ptr %trace, i32 %i)
///                                                       ret i32 %r
///                                                     }
///
/// and the other way round, where the trace is dropped and found again by the function (instrument.h).
#ifndef CUPR_PASS_THUNKS_H
#define CUPR_PASS_THUNKS_H

namespace llvm {
class Module;
}

namespace cupr::pass {

void buildThunks(llvm::Module &module);

} // namespace cupr::pass

#endif

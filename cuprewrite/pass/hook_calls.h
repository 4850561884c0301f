/// Puts the calls of the hooks (devicelib/abi/hooks.def) in front of accesses, and with them what the
/// description of an access says has to be computed there: the address in the generic address space, the
/// condition under which a thread makes the access, the number of bytes.
///
///     { .reg .pred p; setp.ne.b32 p, $2, 0; @p ld.global.f32 $0, [$1]; }  with (ptr %a, i32 %c)
///
///     %made = icmp ne i32 %c, 0
///     br i1 %made, label %then, label %next
///     then:
///       call void @__cupr_access_v6(ptr %trace, i32 0, ptr %a, i1 %recording)
///     next: the inline PTX
#ifndef CUPR_PASS_HOOK_CALLS_H
#define CUPR_PASS_HOOK_CALLS_H

#include "access_timing.h"
#include "body_sites.h"
#include "devicelib/abi/hooks.h"
#include "plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace cupr::pass {

class HookCalls {
public:
  explicit HookCalls(llvm::Module &module) : module_(module) {}

  /// `recording`: whether the thread's accesses are recorded; of an access with a duration, what `stage` has given. Adds the access to `sites` and inserts the
  /// call before `instruction`, which stands for the access's own in the body at hand, or behind it where it takes values that the
  /// instruction brings; a clock is read right before the instruction all the same. `mapped` gives the
  /// body's value for one of the original. `clocks`: of an access with a duration; null for all others.
  void insert(const TracedAccess &traced, llvm::Instruction &instruction, BodySites &sites,
              llvm::Value *trace, llvm::Value *recording,
              llvm::function_ref<llvm::Value *(llvm::Value *)> mapped, const AccessClocks *clocks);

  /// What hooks of timed accesses take in place of `recording`: asked for where a kernel (`begins`) or a function of it begins.
  llvm::Value *stage(llvm::IRBuilder<> &builder, llvm::Value *trace, llvm::Value *recording, bool begins);
  /// In front of `instruction`, what the threads that get there have staged goes to the queue.
  void insertUnstage(llvm::Instruction &instruction, llvm::Value *trace, llvm::Value *recording);

  /// Has the first thread of each block say that the block has begun.
  void insertBlock(llvm::Instruction &instruction, llvm::Value *trace,
                   llvm::ArrayRef<llvm::GlobalVariable *> placed);

  /// Has launches of a kernel say where its shared variables lie. `instruction` is at the kernel's beginning, and runs in all threads.
  void insertVariables(llvm::ArrayRef<llvm::GlobalVariable *> variables, llvm::Instruction &instruction,
                       BodySites &sites, llvm::Value *trace, llvm::Value *recording);

private:
  /// `clock`, `duration`: null: none is recorded.
  abi::Hook addValues(const TracedAccess &traced, llvm::Value *clock, llvm::Value *duration,
                      llvm::IRBuilder<> &builder, llvm::function_ref<llvm::Value *(llvm::Value *)> mapped,
                      llvm::SmallVectorImpl<llvm::Value *> &arguments);
  /// `result`: of the hook; null: it has none.
  llvm::CallInst *call(const char *hook, llvm::IRBuilder<> &builder, llvm::ArrayRef<llvm::Value *> arguments,
                       llvm::Type *result = nullptr);

  llvm::Module &module_;
};

} // namespace cupr::pass

#endif

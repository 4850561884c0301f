/// Marks the end of an iteration in the access log, so that lanes which are through
/// with theirs wait for the others: the merge (runtime/access_log.h) takes the
/// smallest key first, and a mark's key is above those of all accesses in its loop
/// and below those behind it. Without marks, a lane at the start of the outer loop's
/// next iteration would overtake lanes that are still in the inner loop.
#include "lowering.h"

#include "devicelib/cpu/runtime/log_key.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <optional>

using namespace llvm;

namespace cupr::cpu {

namespace {

struct LoopHooks {
  SmallVector<CallInst *> calls;
  std::uint32_t lastSite = 0;
  /// What the function's callers have handed it, which its sites' numbers are added to (pass/calling_contexts.h); null: nothing.
  Value *handed = nullptr;
};

/// A site's number, from what the function was handed.
struct SiteNumber {
  std::uint32_t number;
  Value *handed;
};

std::optional<SiteNumber> numberOf(Value *site) {
  if (isa<Argument>(site))
    return SiteNumber{0, site};
  Value *handed = nullptr;
  if (auto *sum = dyn_cast<BinaryOperator>(site); sum && sum->getOpcode() == Instruction::Add) {
    handed = sum->getOperand(0);
    site = sum->getOperand(1);
  }
  if (auto *constant = dyn_cast<ConstantInt>(site))
    return SiteNumber{static_cast<std::uint32_t>(constant->getZExtValue()), handed};
  return std::nullopt;
}

/// The last of the sites that a hook may record an access at: one per space of the set that some have.
std::uint32_t lastSiteOf(const CallInst &call, std::uint32_t first) {
  const auto *spaces = call.arg_size() > 4 ? dyn_cast<ConstantInt>(call.getArgOperand(4)) : nullptr;
  return spaces ? first + static_cast<std::uint32_t>(llvm::popcount(spaces->getZExtValue())) - 1 : first;
}

LoopHooks hooksIn(const Loop &loop, const SmallPtrSetImpl<CallInst *> &hooks) {
  LoopHooks found;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (auto *call = dyn_cast<CallInst>(&instruction); call && hooks.contains(call))
        if (const auto site = numberOf(call->getArgOperand(abi::kHookSite))) {
          found.calls.push_back(call);
          found.handed = site->handed;
          found.lastSite = std::max(found.lastSite, lastSiteOf(*call, site->number));
        }
  return found;
}

/// Whether every iteration makes the same accesses: then lanes can't get out of step.
bool isUniform(const Loop &loop, const LoopHooks &found, const LoopInfo &loops,
               const DominatorTree &dominators) {
  const BasicBlock *latch = loop.getLoopLatch();
  for (CallInst *call : found.calls)
    if (!latch || loops.getLoopFor(call->getParent()) != &loop ||
        !dominators.dominates(call->getParent(), latch))
      return false;
  return true;
}

/// A hook in the loop whose trace, and whether it is recording, are known at the end of `latch`.
CallInst *hookFor(const LoopHooks &found, BasicBlock *latch, const DominatorTree &dominators) {
  for (CallInst *call : found.calls)
    if (dominators.dominates(call->getArgOperand(abi::kHookTrace), latch->getTerminator()) &&
        dominators.dominates(call->getArgOperand(abi::kHookRecording), latch->getTerminator()))
      return call;
  return nullptr;
}

} // namespace

void markIterations(Module &module, DeviceBuilder &builder) {
  DenseMap<Function *, SmallPtrSet<CallInst *, 16>> hooksOf;
  forEachHookCall(module,
                  [&](CallInst *call, const abi::HookNames &) { hooksOf[call->getFunction()].insert(call); });
  for (auto &[function, hooks] : hooksOf) {
    DominatorTree dominators(*function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      const LoopHooks found = hooksIn(*loop, hooks);
      if (found.calls.empty() || isUniform(*loop, found, loops, dominators))
        continue;
      SmallVector<BasicBlock *> latches;
      loop->getLoopLatches(latches);
      for (BasicBlock *latch : latches)
        if (CallInst *hook = hookFor(found, latch, dominators)) {
          builder.SetInsertPoint(latch->getTerminator());
          Value *key = builder.i32(markKey(found.lastSite, loop->getLoopDepth()));
          if (found.handed)
            key = builder.CreateAdd(key, builder.CreateMul(found.handed, builder.i32(accessKey(1))));
          builder.call(Call::Mark, {hook->getArgOperand(abi::kHookTrace), key,
                                    ConstantPointerNull::get(builder.getPtrTy()),
                                    builder.predicate(hook->getArgOperand(abi::kHookRecording))});
        }
    }
  }
}

} // namespace cupr::cpu

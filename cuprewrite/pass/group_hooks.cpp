#include "group_hooks.h"

#include "devicelib/abi/hooks.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace cupr::pass {
namespace {

constexpr unsigned kLargestGroup = std::max({
#define CUPR_GROUP_HOOK(count, stem) count,
#include "devicelib/abi/hooks.def"
});

/// The hook that takes the most of so many accesses.
const abi::HookNames &largestGroup(std::size_t accesses) {
  return *find_if(abi::kHooks, [&](const abi::HookNames &hook) {
    return hook.accesses > 1 && hook.accesses <= accesses; // they fall
  });
}

/// Whether hooks on both sides of the instruction may be called together in front of it.
bool mayPass(const Instruction &instruction) {
  if (isa<DbgInfoIntrinsic>(instruction) || isa<LoadInst>(instruction) || isa<StoreInst>(instruction))
    return !instruction.isAtomic();
  return !isa<CallBase>(instruction) && !instruction.isAtomic() && !isa<FenceInst>(instruction);
}

class Grouping {
public:
  explicit Grouping(Function &hook) : module_(*hook.getParent()), hook_(hook) {}

  void run() {
    SmallPtrSet<BasicBlock *, 16> blocks;
    SmallVector<BasicBlock *, 16> ordered;
    for (User *user : hook_.users())
      if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == &hook_)
        if (blocks.insert(call->getParent()).second)
          ordered.push_back(call->getParent());
    for (BasicBlock *block : ordered)
      run(*block);
  }

private:
  void run(BasicBlock &block) {
    SmallVector<CallInst *, kLargestGroup> group;
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *const call = dyn_cast<CallInst>(&instruction);
      if (!call || call->getCalledFunction() != &hook_) {
        if (!mayPass(instruction))
          flush(group);
        continue;
      }
      if (group.size() == kLargestGroup || (!group.empty() && !joins(*call, *group.front())))
        flush(group);
      group.push_back(call);
    }
    flush(group);
  }

  /// Whether the hook can be called where `first` is; then what computes its address and its site has been moved there.
  bool joins(CallInst &call, CallInst &first) {
    for (const auto operand : {abi::kHookTrace, abi::kHookRecording})
      if (call.getArgOperand(operand) != first.getArgOperand(operand))
        return false;
    SmallVector<Instruction *, 8> needed;
    for (const auto operand : {abi::kHookAddress, abi::kHookSite})
      if (!collect(call.getArgOperand(operand), first, needed))
        return false;
    for (Instruction *instruction : needed)
      instruction->moveBefore(first.getIterator());
    return true;
  }

  /// The instructions behind `first`, in the order of computation, that the value needs. False: one can't be
  /// moved.
  bool collect(Value *value, const Instruction &first, SmallVectorImpl<Instruction *> &needed) {
    auto *const instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != first.getParent() || instruction->comesBefore(&first) ||
        is_contained(needed, instruction))
      return true;
    if (isa<PHINode>(instruction) || instruction->mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(instruction))
      return false;
    for (Value *operand : instruction->operands())
      if (!collect(operand, first, needed))
        return false;
    needed.push_back(instruction);
    return true;
  }

  void flush(SmallVectorImpl<CallInst *> &group) {
    ArrayRef<CallInst *> left = group;
    while (left.size() > 1) {
      const abi::HookNames &hook = largestGroup(left.size());
      merge(hook, left.take_front(hook.accesses));
      left = left.drop_front(hook.accesses);
    }
    group.clear();
  }

  void merge(const abi::HookNames &grouped, ArrayRef<CallInst *> calls) {
    IRBuilder<> builder(calls.front());
    SmallVector<Value *, 2 + 2 * kLargestGroup> arguments{calls.front()->getArgOperand(abi::kHookTrace),
                                                          calls.front()->getArgOperand(abi::kHookRecording)};
    for (const CallInst *call : calls) {
      arguments.push_back(call->getArgOperand(abi::kHookSite));
      arguments.push_back(call->getArgOperand(abi::kHookAddress));
    }
    SmallVector<Type *, 2 + 2 * kLargestGroup> types;
    for (const Value *argument : arguments)
      types.push_back(argument->getType());
    FunctionCallee hook =
        module_.getOrInsertFunction(grouped.symbol, FunctionType::get(builder.getVoidTy(), types, false));
    cast<Function>(hook.getCallee())->addFnAttr(Attribute::Convergent);
    builder.CreateCall(hook, arguments)->addFnAttr(Attribute::Convergent);
    for (CallInst *replaced : calls)
      replaced->eraseFromParent();
  }

  Module &module_;
  Function &hook_;
};

} // namespace

void groupHooks(Module &module) {
  if (Function *const hook = module.getFunction(abi::namesOf(abi::Hook::Access).symbol))
    Grouping(*hook).run();
}

} // namespace cupr::pass

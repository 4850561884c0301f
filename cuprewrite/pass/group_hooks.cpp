#include "group_hooks.h"

#include "devicelib/abi/symbols.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace cupr::pass {
namespace {

constexpr StringLiteral kGroupedPrefix = "__cupr_accesses_";

/// How many accesses the grouped hooks of the device library take, falling.
constexpr unsigned kGroupSizes[] = {6, 4, 3, 2};
constexpr unsigned kLargestGroup = kGroupSizes[0];

// Operands of a hook (abi/hooks.def).
constexpr unsigned kTrace = 0, kSite = 1, kAddress = 2, kRecording = 3;

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

  /// Whether the hook can be called where `first` is; then what computes its address has been moved there.
  bool joins(CallInst &call, CallInst &first) {
    for (const unsigned operand : {kTrace, kRecording})
      if (call.getArgOperand(operand) != first.getArgOperand(operand))
        return false;
    SmallVector<Instruction *, 8> needed;
    if (!collect(call.getArgOperand(kAddress), first, needed))
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
      const unsigned size = *find_if(kGroupSizes, [&](unsigned size) { return size <= left.size(); });
      merge(left.take_front(size));
      left = left.drop_front(size);
    }
    group.clear();
  }

  void merge(ArrayRef<CallInst *> calls) {
    IRBuilder<> builder(calls.front());
    SmallVector<Value *, 2 + 2 * kLargestGroup> arguments{calls.front()->getArgOperand(kTrace),
                                                          calls.front()->getArgOperand(kRecording)};
    for (const CallInst *call : calls) {
      arguments.push_back(call->getArgOperand(kSite));
      arguments.push_back(call->getArgOperand(kAddress));
    }
    SmallVector<Type *, 2 + 2 * kLargestGroup> types;
    for (const Value *argument : arguments)
      types.push_back(argument->getType());
    FunctionCallee hook = module_.getOrInsertFunction((kGroupedPrefix + Twine(calls.size()) + "_v1").str(),
                                                      FunctionType::get(builder.getVoidTy(), types, false));
    cast<Function>(hook.getCallee())->addFnAttr(Attribute::Convergent);
    builder.CreateCall(hook, arguments)->addFnAttr(Attribute::Convergent);
    for (CallInst *replaced : calls)
      replaced->eraseFromParent();
  }

  Module &module_;
  Function &hook_;
};

} // namespace

unsigned groupedAccesses(const Function &hook) {
  return hook.getName().starts_with(kGroupedPrefix) ? static_cast<unsigned>(hook.arg_size() - 2) / 2 : 1;
}

void groupHooks(Module &module) {
  if (Function *const hook = module.getFunction(CUPR_ACCESS_HOOK))
    Grouping(*hook).run();
}

} // namespace cupr::pass

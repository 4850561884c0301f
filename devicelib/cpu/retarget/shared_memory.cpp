/// Shared variables become offsets into the frame of the block that runs.
///
/// Every variable has one offset in the whole module, so that a function used by
/// several kernels needs one body; kernels that have no variable in common share
/// the same bytes. The dynamic part starts behind a kernel's static part, so its
/// address comes from the LaneState.
#include "lowering.h"
#include "reach.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace cupr::cpu {

namespace {}

SharedSizes lowerSharedMemory(Module &module, DeviceBuilder &builder,
                              const std::vector<Function *> &kernels) {
  SharedSizes sizes;
  SmallVector<GlobalVariable *> variables;
  SmallVector<Constant *> constants;
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == kSharedSpace) {
      variables.push_back(&variable);
      constants.push_back(&variable);
    }
  for (Function *kernel : kernels)
    sizes[kernel] = 0;
  if (variables.empty())
    return sizes;
  convertUsersOfConstantsToInstructions(constants);

  DenseMap<Function *, SetVector<GlobalVariable *>> users;
  for (GlobalVariable *variable : variables)
    for (User *user : variable->users())
      if (auto *instruction = dyn_cast<Instruction>(user))
        users[instruction->getFunction()].insert(variable);

  const Reach reach(module);
  DenseMap<GlobalVariable *, SmallVector<Function *>> kernelsOf;
  DenseMap<const Function *, Align> dynamicAlignment;
  for (Function *kernel : kernels) {
    SetVector<GlobalVariable *> mine;
    for (Function *function : reach.from(kernel))
      if (const auto found = users.find(function); found != users.end())
        mine.insert(found->second.begin(), found->second.end());
    for (GlobalVariable *variable : mine)
      kernelsOf[variable].push_back(kernel);
  }

  const DataLayout &layout = module.getDataLayout();
  DenseMap<GlobalVariable *, std::uint64_t> offsets;
  for (GlobalVariable *variable : variables) {
    const Align alignment = variable->getAlign().value_or(layout.getPreferredAlign(variable));
    const auto found = kernelsOf.find(variable);
    if (variable->isDeclaration()) {
      if (found != kernelsOf.end())
        for (Function *kernel : found->second)
          dynamicAlignment[kernel] = std::max(alignment, dynamicAlignment[kernel]);
      continue;
    }
    std::uint64_t offset = 0;
    if (found != kernelsOf.end())
      for (Function *kernel : found->second)
        offset = std::max<std::uint64_t>(offset, sizes[kernel]);
    offset = alignTo(offset, alignment);
    offsets[variable] = offset;
    const std::uint64_t end = offset + layout.getTypeAllocSize(variable->getValueType());
    if (found != kernelsOf.end())
      for (Function *kernel : found->second)
        sizes[kernel] = static_cast<std::uint32_t>(end);
  }
  for (auto &[kernel, size] : sizes)
    size = static_cast<std::uint32_t>(alignTo(size, std::max(Align(16), dynamicAlignment[kernel])));

  DenseMap<std::pair<Function *, GlobalVariable *>, Value *> places;
  for (GlobalVariable *variable : variables) {
    for (Use &use : make_early_inc_range(variable->uses())) {
      auto *instruction = dyn_cast<Instruction>(use.getUser());
      if (!instruction)
        continue;
      Function *function = instruction->getFunction();
      Value *&place = places[{function, variable}];
      if (!place) {
        BasicBlock &entry = function->getEntryBlock();
        builder.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
        builder.SetCurrentDebugLocation(DebugLoc());
        Value *address = nullptr;
        if (variable->isDeclaration()) {
          address = builder.stateField(offsetof(LaneState, dynamicShared), builder.getPtrTy());
        } else {
          Value *frame = builder.stateField(offsetof(LaneState, shared), builder.getPtrTy());
          address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame,
                                                       kSharedReserved + offsets[variable]);
        }
        place = builder.CreateAddrSpaceCast(address, variable->getType());
      }
      use.set(place);
    }
    if (!variable->use_empty()) // in metadata, or in a constant that nobody uses
      variable->replaceAllUsesWith(PoisonValue::get(variable->getType()));
    variable->eraseFromParent();
  }
  return sizes;
}

} // namespace cupr::cpu

/// Code from before Volta exchanges values within a warp through volatile shared memory, without
/// __syncwarp(): the end of a reduction, say, with `v[t] += v[t + 16]` for all 32 threads. It relies on the
/// warp taking each access together, which hardware still mostly does, and which lanes that run one after the
/// other don't.
///
/// So lanes wait before each volatile access that may be to shared memory, until the others of their warp
/// wait or have ended, as at __activemask(): all have made the accesses before it then. Other warps have
/// their turn now and then, in case it is a flag that one of them sets. Volatile accesses to other memory
/// are flags between blocks, and stay as they are (spin_loops.cpp).
#include "lowering.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

bool mayBeShared(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, 0);
  const unsigned space = object->getType()->getPointerAddressSpace();
  return space == kSharedSpace || (space == kGenericSpace && !isa<AllocaInst>(object));
}

} // namespace

bool isWarpStep(const Instruction &instruction) {
  if (const auto *const load = dyn_cast<LoadInst>(&instruction))
    return load->isVolatile() && mayBeShared(load->getPointerOperand());
  const auto *const store = dyn_cast<StoreInst>(&instruction);
  return store && store->isVolatile() && mayBeShared(store->getPointerOperand());
}

void stepWarps(Module &module, DeviceBuilder &builder) {
  SmallVector<Instruction *> steps;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isWarpStep(instruction))
        steps.push_back(&instruction);
  for (Instruction *step : steps) {
    builder.SetInsertPoint(step);
    builder.call(Call::Step);
  }
}

} // namespace cupr::cpu

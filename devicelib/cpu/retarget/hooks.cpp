/// Puts the common case of the hooks where they are called: nothing is recorded,
/// or there is room in the lane's column of the log. The rest is a call.
#include "lowering.h"

#include "devicelib/abi/trace_argument.h"
#include "devicelib/cpu/runtime/log_key.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

/// The address of a field of the LaneState that changes while a lane runs.
Value *stateAddress(DeviceBuilder &b, std::size_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), b.CreateThreadLocalAddress(b.state()), offset);
}

/// Whether the fast path is put in place: only where the address goes into the log as it is.
enum class HookKind { Access, Called, Mark };

/// Counts the access where the launch's are counted (CUPR_COUNT), in front of `place`.
void countIfWanted(DeviceBuilder &b, CallInst *call, Instruction *place) {
  Value *trace = call->getArgOperand(abi::kHookTrace);
  Value *sites = b.CreateLoad(
      b.getInt32Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), trace, offsetof(Trace, tallyWords)));
  Instruction *count = SplitBlockAndInsertIfThen(b.CreateIsNotNull(sites), place->getIterator(), false,
                                                 MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(count);
  b.call(Call::Count, {trace, call->getArgOperand(abi::kHookSite)});
}

void expand(DeviceBuilder &b, CallInst *call, HookKind kind) {
  b.SetInsertPoint(call);
  Value *trace = call->getArgOperand(abi::kHookTrace);
  Value *recording = call->getArgOperand(abi::kHookRecording);
  if (!recording->getType()->isIntegerTy(1))
    recording = b.CreateIsNotNull(recording);
  if (kind == HookKind::Mark)
    recording = b.CreateAnd(recording, b.CreateIsNotNull(b.CreateLoad(
                                           b.getInt32Ty(), stateAddress(b, offsetof(LaneState, marks)))));
  Instruction *then = SplitBlockAndInsertIfThen(recording, call->getIterator(), false);
  if (kind == HookKind::Called) {
    call->moveBefore(then->getIterator());
    return;
  }
  b.SetInsertPoint(then);
  if (kind == HookKind::Access) {
    countIfWanted(b, call, then);
    b.SetInsertPoint(then);
  }
  Value *launch = b.CreateLoad(b.getInt64Ty(),
                               b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), trace, offsetof(Trace, launch)));
  Value *rowPlace = stateAddress(b, offsetof(LaneState, row));
  Value *row = b.CreateLoad(b.getPtrTy(), rowPlace);
  Value *end = b.CreateLoad(b.getPtrTy(), stateAddress(b, offsetof(LaneState, rowEnd)));
  Value *current = b.CreateLoad(b.getInt64Ty(), stateAddress(b, offsetof(LaneState, launch)));
  Value *fast = b.CreateAnd(b.CreateICmpNE(row, end), b.CreateICmpEQ(current, launch));
  Instruction *store = nullptr, *slow = nullptr;
  MDBuilder weights(b.getContext());
  SplitBlockAndInsertIfThenElse(fast, then->getIterator(), &store, &slow,
                                weights.createLikelyBranchWeights());
  call->moveBefore(slow->getIterator());
  b.SetInsertPoint(store);
  Value *lane = b.CreateZExt(b.specialRegister("laneid"), b.getInt64Ty());
  Value *address = call->getArgOperand(abi::kHookAddress);
  b.CreateStore(b.CreatePtrToInt(address, b.getInt64Ty()), b.CreateInBoundsGEP(b.getInt64Ty(), row, lane));
  Value *keys = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), row, offsetof(LogRow, key));
  Value *key = call->getArgOperand(abi::kHookSite);
  if (kind != HookKind::Mark)
    key = b.CreateMul(key, b.i32(accessKey(1)));
  b.CreateStore(key, b.CreateInBoundsGEP(b.getInt32Ty(), keys, lane));
  b.CreateStore(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), row, sizeof(LogRow)), rowPlace);
}

} // namespace

bool isHook(StringRef name) {
  return name == CUPR_RECORDING_HOOK || name == CUPR_BLOCK_HOOK || name == CUPR_PLACE_HOOK ||
         name == CUPR_STAGE_HOOK || name == CUPR_UNSTAGE_HOOK ||
         any_of(abi::kHooks, [&](const abi::HookNames &hook) { return name == hook.symbol; });
}

void forEachHookCall(Module &module, function_ref<void(CallInst *, const abi::HookNames &)> visit) {
  for (const abi::HookNames &hook : abi::kHooks)
    if (Function *function = module.getFunction(hook.symbol))
      for (User *user : function->users())
        if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == function)
          visit(call, hook);
}

void expandHooks(Module &module, DeviceBuilder &builder) {
  SmallVector<std::pair<CallInst *, HookKind>> calls;
  forEachHookCall(module, [&](CallInst *call, const abi::HookNames &hook) {
    calls.push_back({call, &hook == &abi::namesOf(abi::Hook::Access) ? HookKind::Access : HookKind::Called});
  });
  if (Function *function = module.getFunction("__cupr_cpu_mark"))
    for (User *user : function->users())
      calls.push_back({cast<CallInst>(user), HookKind::Mark});
  for (auto [call, kind] : calls)
    expand(builder, call, kind);
}

} // namespace cupr::cpu

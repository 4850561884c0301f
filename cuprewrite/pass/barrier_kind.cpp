#include "barrier_kind.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// `looksInside`: into a function that is called; what that calls in turn is not looked at.
BarrierKind kindOf(const Instruction &instruction, bool looksInside) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return BarrierKind::None;
  if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
    const StringRef text = assembly->getAsmString();
    return text.contains("bar") || text.contains("exit") || text.contains("ret") || text.contains("call") ||
                   text.contains("bra")
               ? BarrierKind::Unknown
               : BarrierKind::None;
  }
  const Function *callee = call->getCalledFunction();
  if (!callee)
    return BarrierKind::Unknown;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call)) {
    const auto isZero = [&](unsigned argument) {
      const auto *value = dyn_cast<ConstantInt>(intrinsic->getArgOperand(argument));
      return value && value->isZero();
    };
    switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::nvvm_barrier_cta_sync_all:
    case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
    case Intrinsic::nvvm_barrier_cta_red_and_all:
    case Intrinsic::nvvm_barrier_cta_red_and_aligned_all:
    case Intrinsic::nvvm_barrier_cta_red_or_all:
    case Intrinsic::nvvm_barrier_cta_red_or_aligned_all:
    case Intrinsic::nvvm_barrier_cta_red_popc_all:
    case Intrinsic::nvvm_barrier_cta_red_popc_aligned_all:
      return isZero(0) ? BarrierKind::Block : BarrierKind::Unknown;
    case Intrinsic::nvvm_exit:
      return BarrierKind::Unknown;
    case Intrinsic::nvvm_bar_warp_sync: // lanes that were apart have met before it
      return BarrierKind::None;
    default:
      break;
    }
    const StringRef name = callee->getName();
    return name.starts_with("llvm.nvvm.bar") || name.contains("cluster") ? BarrierKind::Unknown
                                                                         : BarrierKind::None;
  }
  const StringRef name = callee->getName();
  if (callee->isDeclaration())
    return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" ||
                   name.starts_with("__nv_")
               ? BarrierKind::None
               : BarrierKind::Unknown;
  return looksInside && all_of(instructions(*callee),
                               [](const Instruction &inner) {
                                 return kindOf(inner, /*looksInside=*/false) == BarrierKind::None;
                               })
             ? BarrierKind::None
             : BarrierKind::Unknown;
}

} // namespace

BarrierKind barrierKindOf(const Instruction &instruction) {
  return kindOf(instruction, /*looksInside=*/true);
}

} // namespace cupr::pass

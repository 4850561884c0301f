#include "unrecorded_blocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Whether the function calls one that is part of the program.
bool callsFunctions(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || call->isInlineAsm())
      return false;
    const Function *callee = call->getCalledFunction();
    return !callee || !callee->isDeclaration();
  });
}

/// A function that does what the kernel does.
Function *functionOf(Function &kernel, const Twine &name) {
  ValueToValueMapTy map;
  Function *copy = CloneFunction(&kernel, map);
  copy->setName(name);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setComdat(nullptr);
  copy->setCallingConv(CallingConv::C);
  for (const Attribute::AttrKind kind : {Attribute::NoInline, Attribute::OptimizeNone})
    copy->removeFnAttr(kind);
  copy->addFnAttr(Attribute::AlwaysInline);
  for (Argument &argument : copy->args()) { // what is passed by value is the caller's own
    argument.removeAttr(Attribute::ByVal);
    copy->removeParamAttr(argument.getArgNo(), "nvvm.grid_constant");
  }
  return copy;
}

} // namespace

void leaveUnrecordedAlone(Function &original, Function &timed, Instruction &recording) {
  if (callsFunctions(original))
    return;
  Function *const plain = functionOf(original, timed.getName() + ".unrecorded");
  BasicBlock *const asked = recording.getParent();
  BasicBlock *const recorded = SplitBlock(asked, recording.getNextNode());
  BasicBlock *const unrecorded = BasicBlock::Create(timed.getContext(), "cupr.unrecorded", &timed);
  IRBuilder<> b(unrecorded);
  if (DISubprogram *const subprogram = timed.getSubprogram())
    b.SetCurrentDebugLocation(DILocation::get(timed.getContext(), subprogram->getLine(), 0, subprogram));
  SmallVector<Value *, 8> arguments;
  for (const Argument &argument : plain->args())
    arguments.push_back(timed.getArg(argument.getArgNo()));
  b.CreateCall(plain, arguments);
  b.CreateRetVoid();
  asked->getTerminator()->eraseFromParent();
  b.SetInsertPoint(asked);
  b.CreateCondBr(&recording, recorded, unrecorded);
}

} // namespace cupr::pass

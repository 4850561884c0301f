#include "managed_variables.h"

#include "devicelib/abi/version.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace cupr::pass {
namespace {

constexpr StringLiteral kSection = "cupr.managed";
/// OffloadEntryKindFlag in llvm/Frontend/Offloading/Utility.h
constexpr std::uint64_t kManagedEntry = 1;
/// Members of an element of llvm_offload_entries (there: EntryTy).
constexpr unsigned kEntryFlags = 3, kEntryAddress = 4;

void markForDriver(GlobalVariable &variable) {
  LLVMContext &context = variable.getContext();
  Metadata *const mark[] = {ConstantAsMetadata::get(&variable), MDString::get(context, "managed"),
                            ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1))};
  variable.getParent()->getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(context, mark));
}

/// The host's side of one variable.
class Shadow {
public:
  explicit Shadow(GlobalVariable &shadow)
      : shadow_(shadow), module_(*shadow.getParent()), pointerType_(shadow.getType()) {}

  void replace() {
    removeFromUsedLists(module_, [&](Constant *used) { return used->stripPointerCasts() == &shadow_; });
    pointer_ = new GlobalVariable(module_, pointerType_, false, shadow_.getLinkage(),
                                  shadow_.isDeclaration() ? nullptr : Constant::getNullValue(pointerType_),
                                  shadow_.getName() + ".managed");
    pointer_->setVisibility(shadow_.getVisibility());
    pointer_->setDSOLocal(shadow_.isDSOLocal());
    if (shadow_.hasComdat())
      pointer_->setComdat(module_.getOrInsertComdat(pointer_->getName()));
    registerVariable();
    moveInitialValues();
    replaceUses();
    shadow_.removeDeadConstantUsers();
    if (shadow_.use_empty())
      shadow_.eraseFromParent();
    else
      module_.getContext().emitError("managed variable " + shadow_.getName() +
                                     ": its address is used in a way that cupr++ does not know");
  }

private:
  void registerVariable() {
    for (User *user : make_early_inc_range(shadow_.users())) {
      if (auto *call = dyn_cast<CallInst>(user);
          call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__cudaRegisterVar" &&
          call->getArgOperand(1) == &shadow_) {
        call->setCalledFunction(
            module_.getOrInsertFunction("__cudaRegisterManagedVar", call->getFunctionType()));
        call->setArgOperand(1, pointer_);
      } else if (auto *entry = dyn_cast<ConstantStruct>(user)) {
        registerEntry(*entry);
      }
    }
  }

  /// With device linking. An entry is one global variable of a section.
  void registerEntry(ConstantStruct &entry) {
    for (User *user : make_early_inc_range(entry.users())) {
      auto *const variable = dyn_cast<GlobalVariable>(user);
      if (!variable || variable->getSection() != "llvm_offload_entries")
        continue;
      SmallVector<Constant *, 9> members;
      for (Use &member : entry.operands())
        members.push_back(cast<Constant>(member));
      auto *const flags = cast<ConstantInt>(members[kEntryFlags]);
      members[kEntryFlags] = ConstantInt::get(flags->getType(), flags->getZExtValue() | kManagedEntry);
      members[kEntryAddress] = pointer_;
      variable->setInitializer(ConstantStruct::get(entry.getType(), members));
    }
  }

  /// What holds the variable's address from the start gets it when the program starts.
  void moveInitialValues() {
    SmallVector<Constant *, 4> work{&shadow_};
    SmallVector<GlobalVariable *, 4> holders;
    while (!work.empty())
      for (User *user : work.pop_back_val()->users()) {
        if (auto *holder = dyn_cast<GlobalVariable>(user))
          holders.push_back(holder);
        else if (auto *constant = dyn_cast<Constant>(user))
          work.push_back(constant);
      }
    if (holders.empty())
      return;
    Type *const nothing = Type::getVoidTy(module_.getContext());
    Function *const constructor =
        Function::Create(FunctionType::get(nothing, false), GlobalValue::InternalLinkage,
                         shadow_.getName() + ".addresses", module_);
    IRBuilder<> builder(BasicBlock::Create(module_.getContext(), "", constructor));
    for (GlobalVariable *holder : holders) {
      if (!holder->hasInitializer() || holder->getName().starts_with("llvm."))
        continue; // met twice, or a list of the compiler's
      builder.CreateStore(holder->getInitializer(), holder);
      holder->setConstant(false);
      holder->setInitializer(Constant::getNullValue(holder->getValueType()));
    }
    builder.CreateRetVoid();
    appendToGlobalCtors(module_, constructor, 65535);
  }

  void replaceUses() {
    convertUsersOfConstantsToInstructions({&shadow_});
    SmallVector<Use *, 16> uses;
    for (Use &use : shadow_.uses())
      if (isa<Instruction>(use.getUser()))
        uses.push_back(&use);
    for (Use *use : uses) {
      auto *user = cast<Instruction>(use->getUser());
      if (auto *phi = dyn_cast<PHINode>(user)) {
        // One value for all edges from the same block.
        BasicBlock *const block = phi->getIncomingBlock(*use);
        if (use->get() != &shadow_)
          continue;
        Value *const address = call(*block->getTerminator());
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          if (phi->getIncomingBlock(i) == block && phi->getIncomingValue(i) == &shadow_)
            phi->setIncomingValue(i, address);
      } else {
        use->set(call(*user));
      }
    }
  }

  Value *call(Instruction &before) {
    CallInst *const call = IRBuilder<>(&before).CreateCall(getter());
    if (const Function *caller = before.getFunction(); caller->getSubprogram() && !call->getDebugLoc())
      call->setDebugLoc(DebugLoc(DILocation::get(module_.getContext(), 0, 0, caller->getSubprogram())));
    return call;
  }

  Function *getter() {
    if (getter_)
      return getter_;
    LLVMContext &context = module_.getContext();
    FunctionCallee load =
        module_.getOrInsertFunction(CUPR_VERSIONED_TEXT(__cupr_managed_v), pointerType_, pointerType_);
    getter_ = Function::Create(FunctionType::get(pointerType_, false), GlobalValue::InternalLinkage,
                               pointer_->getName() + ".get", module_);
    getter_->addFnAttr(Attribute::AlwaysInline);
    BasicBlock *const entry = BasicBlock::Create(context, "", getter_);
    BasicBlock *const unknown = BasicBlock::Create(context, "unknown", getter_);
    BasicBlock *const known = BasicBlock::Create(context, "known", getter_);
    IRBuilder<> builder(entry);
    Value *const address = builder.CreateLoad(pointerType_, pointer_);
    builder.CreateCondBr(builder.CreateIsNull(address), unknown, known);
    builder.SetInsertPoint(unknown);
    Value *const loaded = builder.CreateCall(load, pointer_);
    builder.CreateBr(known);
    builder.SetInsertPoint(known);
    PHINode *const result = builder.CreatePHI(pointerType_, 2);
    result->addIncoming(address, entry);
    result->addIncoming(loaded, unknown);
    builder.CreateRet(result);
    return getter_;
  }

  GlobalVariable &shadow_;
  Module &module_;
  PointerType *const pointerType_;
  GlobalVariable *pointer_ = nullptr;
  Function *getter_ = nullptr;
};

} // namespace

PreservedAnalyses ManagedVariablesPass::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<GlobalVariable *, 8> managed;
  for (GlobalVariable &variable : module.globals())
    if (variable.getSection() == kSection)
      managed.push_back(&variable);
  for (GlobalVariable *variable : managed) {
    variable->setSection("");
    if (module.getTargetTriple().isNVPTX())
      markForDriver(*variable);
    else
      Shadow(*variable).replace();
  }
  return managed.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace cupr::pass

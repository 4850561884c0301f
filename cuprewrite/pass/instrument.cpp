#include "instrument.h"

#include "column_map.h"
#include "plan.h"
#include "site_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/Cloning.h"

#define DEBUG_TYPE "cupr-instrument"

using namespace llvm;

namespace cupr::pass {
namespace {

cl::list<std::string> systemFolders("cupr-system-folder", cl::value_desc("folder"),
                                    cl::desc("Code below this folder is not the user's (default: /usr)"));

enum class Hook {
#define CUPR_HOOK(identifier, symbol) identifier,
#include "devicelib/abi/hooks.def"
};

constexpr const char *hookSymbol(Hook hook) {
  switch (hook) {
#define CUPR_HOOK(identifier, symbol)                                                                        \
  case Hook::identifier:                                                                                     \
    return symbol;
#include "devicelib/abi/hooks.def"
  }
  return "";
}

constexpr const char *kInstrumentedFlag = "cupr.instrumented";
constexpr const char *kBlockTrace = "__cupr_block_trace";

/// `copy` for arguments 0 and 2: `copy.global.0.2`.
std::string cloneName(const Context &context) {
  std::string name = context.function->getName().str() + ".global";
  for (const unsigned index : context.globalArguments())
    name += "." + std::to_string(index);
  return name;
}

/// Instrumented code writes memory and meets other lanes, whatever the optimiser
/// has proven about the code before.
void forgetPurity(Function &function) {
  for (const Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn,
                                         Attribute::NoFree, Attribute::Speculatable, Attribute::NoRecurse})
    function.removeFnAttr(kind);
  function.addFnAttr(Attribute::Convergent);
}

void forgetPurity(CallBase &call) {
  for (const Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn,
                                         Attribute::NoFree, Attribute::Speculatable})
    call.removeFnAttr(kind);
  call.addFnAttr(Attribute::Convergent);
  if (auto *plain = dyn_cast<CallInst>(&call))
    plain->setTailCall(false);
}

class Instrumenter {
public:
  Instrumenter(Module &module, const ColumnMap &columns)
      : module_(module), context_(module.getContext()), pointerType_(PointerType::get(context_, 0)),
        sites_(columns, systemFolders.empty() ? std::vector<std::string>{"/usr/"}
                                              : std::vector<std::string>(systemFolders)) {}

  void run(std::vector<ContextPlan> &plans) {
    for (const ContextPlan &plan : plans)
      blockTraceNeeded_ |= plan.keepsSignature && plan.needsTrace;
    // All clones are made of untouched originals.
    for (ContextPlan &plan : plans)
      if (plan.needsTrace && !isKernel(*plan.context->function) && !plan.keepsSignature)
        cloneFor(plan);
    for (ContextPlan &plan : plans)
      if (plan.needsTrace || isTracedKernel(*plan.context->function))
        instrument(plan);
    dropUnused(plans);
    for (const ContextPlan &plan : plans)
      if (isTracedKernel(*plan.context->function))
        kernels_.push_back(plan.context->function);
    describeKernels();
  }

private:
  struct Clone {
    Function *function = nullptr;
    std::unique_ptr<ValueToValueMapTy> map;
  };

  void cloneFor(const ContextPlan &plan) {
    Function &original = *plan.context->function;
    SmallVector<Type *, 8> parameters(original.getFunctionType()->params());
    parameters.push_back(pointerType_);
    Function *copy = Function::Create(FunctionType::get(original.getReturnType(), parameters, false),
                                      GlobalValue::InternalLinkage, original.getAddressSpace(),
                                      cloneName(*plan.context), &module_);
    Clone clone{copy, std::make_unique<ValueToValueMapTy>()};
    for (Argument &argument : original.args()) {
      copy->getArg(argument.getArgNo())->setName(argument.getName());
      (*clone.map)[&argument] = copy->getArg(argument.getArgNo());
    }
    copy->getArg(original.arg_size())->setName("cupr.trace");
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(copy, &original, *clone.map, CloneFunctionChangeType::LocalChangesOnly, returns);
    copy->setLinkage(GlobalValue::InternalLinkage);
    copy->setVisibility(GlobalValue::DefaultVisibility);
    copy->setDSOLocal(true);
    copy->setComdat(nullptr);
    clones_[plan.context] = std::move(clone);
  }

  Function &bodyOf(const ContextPlan &plan) {
    const auto clone = clones_.find(plan.context);
    return clone == clones_.end() ? *plan.context->function : *clone->second.function;
  }

  /// The instruction of the body that stands for this one of the original.
  template <typename T> T *inBody(const ContextPlan &plan, T *original) {
    const auto clone = clones_.find(plan.context);
    if (clone == clones_.end())
      return original;
    Value *copy = clone->second.map->lookup(original);
    return cast_or_null<T>(copy);
  }

  Value *traceOf(const ContextPlan &plan, Function &body) {
    if (isTracedKernel(body)) {
      Argument *argument = body.getArg(0);
      for (const Attribute::AttrKind kind :
           {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::Captures})
        argument->removeAttr(kind);
      return argument;
    }
    if (!plan.keepsSignature)
      return body.getArg(body.arg_size() - 1);
    IRBuilder<> builder(&*body.getEntryBlock().getFirstInsertionPt());
    return builder.CreateAlignedLoad(pointerType_, blockTrace(), Align(8), "cupr.trace");
  }

  void instrument(ContextPlan &plan) {
    Function &body = bodyOf(plan);
    forgetPurity(body);
    Value *trace = traceOf(plan, body);
    for (const TracedAccess &traced : plan.accesses) {
      Instruction *instruction = inBody(plan, traced.access.instruction);
      Value *pointer = traced.access.pointer;
      if (clones_.count(plan.context))
        if (Value *mapped = clones_[plan.context].map->lookup(pointer))
          pointer = mapped;
      IRBuilder<> builder(instruction);
      if (pointer->getType()->isIntegerTy())
        pointer = builder.CreateIntToPtr(pointer, pointerType_);
      else if (pointer->getType()->getPointerAddressSpace() != 0)
        pointer = builder.CreateAddrSpaceCast(pointer, pointerType_);
      if (traced.access.offset)
        pointer =
            builder.CreatePtrAdd(pointer, builder.getInt64(static_cast<std::uint64_t>(traced.access.offset)));
      const Hook hook = traced.verdict == abi::SpaceVerdict::Global ? Hook::Access : Hook::AccessGeneric;
      CallInst *call = builder.CreateCall(
          hookFunction(hook), {trace, builder.getInt32(sites_.add(traced.access, traced.verdict)), pointer});
      call->addFnAttr(Attribute::Convergent);
    }
    for (CallBase *original : plan.currents) {
      CallBase *call = inBody(plan, original);
      call->replaceAllUsesWith(trace);
      call->eraseFromParent();
    }
    for (const auto &[original, target] : plan.context->calls) {
      const auto clone = clones_.find(target);
      CallBase *call = inBody(plan, original);
      if (clone != clones_.end())
        redirect(*call, *clone->second.function, trace);
      else if (call)
        forgetPurity(*call);
    }
    if (blockTraceNeeded_ && isTracedKernel(body)) {
      IRBuilder<> builder(&*body.getEntryBlock().getFirstInsertionPt());
      builder.CreateAlignedStore(trace, blockTrace(), Align(8));
    }
  }

  void redirect(CallBase &call, Function &target, Value *trace) {
    SmallVector<Value *, 8> arguments(call.args());
    arguments.push_back(trace);
    SmallVector<OperandBundleDef, 1> bundles;
    call.getOperandBundlesAsDefs(bundles);
    CallInst *replacement = CallInst::Create(&target, arguments, bundles, "", call.getIterator());
    replacement->setCallingConv(call.getCallingConv());
    replacement->setAttributes(call.getAttributes());
    replacement->setDebugLoc(call.getDebugLoc());
    forgetPurity(*replacement);
    replacement->takeName(&call);
    call.replaceAllUsesWith(replacement);
    call.eraseFromParent();
  }

  /// Originals that no call leads to any more. Device code that is not linked with
  /// other device code has no callers elsewhere.
  void dropUnused(const std::vector<ContextPlan> &plans) {
    for (bool dropped = true; dropped;) {
      dropped = false;
      for (const ContextPlan &plan : plans) {
        Function *original = plan.context->function;
        if (!clones_.count(plan.context) || gone_.contains(original) || !original->hasLocalLinkage() ||
            !original->use_empty())
          continue;
        gone_.insert(original);
        original->eraseFromParent();
        dropped = true;
      }
    }
  }

  FunctionCallee hookFunction(Hook hook) {
    FunctionCallee callee = module_.getOrInsertFunction(
        hookSymbol(hook), Type::getVoidTy(context_), pointerType_, Type::getInt32Ty(context_), pointerType_);
    auto *function = cast<Function>(callee.getCallee());
    function->addFnAttr(Attribute::Convergent);
    function->addFnAttr(Attribute::NoUnwind);
    return callee;
  }

  GlobalVariable *blockTrace() {
    if (GlobalVariable *known = module_.getGlobalVariable(kBlockTrace, /*AllowInternal=*/true))
      return known;
    auto *variable =
        new GlobalVariable(module_, pointerType_, /*isConstant=*/false, GlobalValue::InternalLinkage,
                           UndefValue::get(pointerType_), kBlockTrace, nullptr, GlobalValue::NotThreadLocal,
                           NVPTXAS::ADDRESS_SPACE_SHARED);
    variable->setAlignment(Align(8));
    return variable;
  }

  GlobalVariable *deviceVariable(Constant *value, const Twine &name, GlobalValue::LinkageTypes linkage) {
    auto *variable = new GlobalVariable(module_, value->getType(), /*isConstant=*/false, linkage, value, name,
                                        nullptr, GlobalValue::NotThreadLocal, NVPTXAS::ADDRESS_SPACE_GLOBAL,
                                        /*externallyInitialized=*/true);
    variable->setAlignment(Align(8));
    return variable;
  }

  /// Adds the site table and the KernelInfo of each kernel. The host asks for the
  /// latter by name, so they must not be optimised away.
  void describeKernels() {
    const std::string blob = sites_.blob();
    Constant *bytes = ConstantDataArray::getString(context_, blob, /*AddNull=*/false);
    Constant *table = ConstantExpr::getAddrSpaceCast(
        deviceVariable(bytes, "__cupr_site_table", GlobalValue::InternalLinkage), pointerType_);
    Type *const i32 = Type::getInt32Ty(context_), *const i64 = Type::getInt64Ty(context_);
    for (const Function *kernel : kernels_) {
      Constant *info = ConstantStruct::getAnon(
          {ConstantInt::get(i32, abi::kKernelInfoMagic), ConstantInt::get(i32, CUPR_ABI_VERSION), table,
           ConstantInt::get(i64, blob.size()), ConstantInt::get(i64, kernel->arg_size())});
      deviceVariable(info, CUPR_KERNEL_INFO_PREFIX + kernel->getName(), GlobalValue::ExternalLinkage);
    }
  }

  Module &module_;
  LLVMContext &context_;
  PointerType *pointerType_;
  SiteTable sites_;
  std::map<Context *, Clone> clones_;
  std::vector<Function *> kernels_;
  SmallPtrSet<Function *, 8> gone_;
  bool blockTraceNeeded_ = false;
};

} // namespace

PreservedAnalyses InstrumentPass::run(Module &module, ModuleAnalysisManager &) {
  if (!module.getTargetTriple().isNVPTX() || module.getModuleFlag(kInstrumentedFlag))
    return PreservedAnalyses::all();
  const ColumnMap columns = ColumnMap::take(module);
  const AddressSpaceAnalysis analysis(module);
  std::vector<ContextPlan> plans =
      planTracing(analysis, [&](const Instruction &instruction, StringRef reason) {
        OptimizationRemarkMissed remark(DEBUG_TYPE, "NotTraced", &instruction);
        remark << "not traced: " << reason;
        module.getContext().diagnose(remark);
      });
  if (!plans.empty()) {
    module.addModuleFlag(Module::Override, kInstrumentedFlag, CUPR_ABI_VERSION);
    Instrumenter(module, columns).run(plans);
  }
  return PreservedAnalyses::none();
}

} // namespace cupr::pass

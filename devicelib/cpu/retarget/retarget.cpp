#include "retarget.h"

#include "lowering.h"

#include "devicelib/cpu/runtime/runtime_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

std::uint32_t architectureOf(Module &module) {
  for (Function &function : module) {
    StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
    std::uint32_t number = 0;
    if (cpu.consume_front("sm_") && !cpu.consumeInteger(10, number))
      return number;
  }
  return 75;
}

/// libdevice asks how the program is compiled.
void foldReflection(Module &module, std::uint32_t architecture) {
  for (const char *name : {"__nvvm_reflect", "__nvvm_reflect_ocl", "llvm.nvvm.reflect"}) {
    Function *function = module.getFunction(name);
    if (!function)
      continue;
    for (User *user : make_early_inc_range(function->users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call)
        continue;
      StringRef question;
      getConstantStringInfo(call->getArgOperand(0), question);
      const unsigned answer = StringSwitch<unsigned>(question)
                                  .Case("__CUDA_ARCH", architecture * 10)
                                  .Case("__CUDA_PREC_SQRT", 1)
                                  .Case("__CUDA_PREC_DIV", 1)
                                  .Default(0);
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), answer));
      call->eraseFromParent();
    }
    if (function->use_empty())
      function->eraseFromParent();
  }
}

/// What only the device's compiler understands, or what is only true on the device.
void stripAttributes(Module &module, StringRef hostCpu) {
  AttributeMask drop;
  for (Attribute::AttrKind kind : {Attribute::NoSync, Attribute::Memory, Attribute::Convergent,
                                   Attribute::OptimizeNone, Attribute::Speculatable})
    drop.addAttribute(kind);
  for (const char *name : {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
                           "uniform-work-group-size", "no-builtins"})
    drop.addAttribute(name);
  for (Function &function : module) {
    if (function.isIntrinsic())
      continue;
    if (function.hasOptNone())
      function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttrs(drop);
    if (!hostCpu.empty() && !function.isDeclaration())
      function.addFnAttr("target-cpu", hostCpu);
    // A large frame must touch the guard page of the lane's stack, not step over it.
    if (!function.isDeclaration())
      function.addFnAttr("probe-stack", "inline-asm");
    function.setCallingConv(CallingConv::C);
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call)) {
        call->removeFnAttrs(drop);
        call->setCallingConv(CallingConv::C);
      }
  }
}

/// Library functions that the device provides: the runtime has them under other
/// names, or the host's would be taken.
void bindLibrary(Module &module, DeviceBuilder &builder) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.isIntrinsic() || isHook(function.getName()) ||
        function.getName().starts_with("__cupr_cpu_"))
      continue;
    const int known = StringSwitch<int>(function.getName())
                          .Case("vprintf", static_cast<int>(Call::Print))
                          .Case("malloc", static_cast<int>(Call::Allocate))
                          .Case("free", static_cast<int>(Call::Free))
                          .Case("__assertfail", static_cast<int>(Call::AssertFail))
                          .Case("__cudaCDP2GetParameterBuffer", static_cast<int>(Call::NestedParameters))
                          .Cases({"__cudaCDP2LaunchDevice", "__cudaCDP2LaunchDevice_ptsz"},
                                 static_cast<int>(Call::NestedLaunch))
                          .Case("__cudaCDP2StreamCreateWithFlags", static_cast<int>(Call::NestedStream))
                          .Case("__cudaCDP2StreamDestroy", static_cast<int>(Call::NestedDone))
                          .Case("__cudaCDP2GetDevice", static_cast<int>(Call::NestedDevice))
                          .Case("__cudaCDP2GetLastError", static_cast<int>(Call::NestedLastError))
                          .Case("__cudaCDP2PeekAtLastError", static_cast<int>(Call::NestedPeekError))
                          .Default(-1);
    if (function.use_empty()) {
      function.eraseFromParent();
      continue;
    }
    // A body here: it forwards, or says what is missing.
    BasicBlock *block = BasicBlock::Create(module.getContext(), "", &function);
    builder.SetInsertPoint(block);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *result = nullptr;
    if (known >= 0) {
      SmallVector<Value *> arguments;
      for (Argument &argument : function.args())
        arguments.push_back(&argument);
      result = builder.call(static_cast<Call>(known), arguments);
    } else {
      const bool launches = function.getName().starts_with("__cudaCDP");
      warn(nullptr, "device function " + function.getName() +
                        (launches ? " is not there on the CPU device; a kernel that calls it fails"
                                  : " is not defined in this module; a kernel that calls it fails (code in "
                                    "several files needs -rdc=true)"));
      builder.unsupported(function.getName());
    }
    Type *type = function.getReturnType();
    if (type->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(result ? result : Constant::getNullValue(type));
  }
}

/// `llvm.trap` would end the process; on the device it ends the kernel.
void lowerTraps(Module &module, DeviceBuilder &builder) {
  for (Intrinsic::ID id : {Intrinsic::trap, Intrinsic::debugtrap}) {
    Function *function = Intrinsic::getDeclarationIfExists(&module, id);
    if (!function)
      continue;
    for (User *user : make_early_inc_range(function->users()))
      if (auto *call = dyn_cast<CallInst>(user)) {
        builder.SetInsertPoint(call);
        if (id == Intrinsic::trap)
          builder.call(Call::Trap);
        call->eraseFromParent();
      }
  }
}

void dropDeviceMetadata(Module &module) {
  for (const char *name : {"nvvm.annotations", "nvvmir.version", "nvvm-reflect-ftz"})
    if (NamedMDNode *node = module.getNamedMetadata(name))
      node->eraseFromParent();
  removeFromUsedLists(module, [](Constant *) { return true; });
  for (const char *name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *used = module.getNamedGlobal(name))
      used->eraseFromParent();
}

/// A GPU's assembler needs the lines only as directives. A program's symbolizer, which finds the place of a
/// faulting instruction (runtime/call_stack.h), looks for functions, too.
void keepLineTables(Module &module) {
  NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu");
  if (!units)
    return;
  DenseMap<DICompileUnit *, DICompileUnit *> complete;
  for (unsigned i = 0; i < units->getNumOperands(); ++i) {
    auto *unit = cast<DICompileUnit>(units->getOperand(i));
    if (!unit->isDebugDirectivesOnly())
      continue;
    complete[unit] = DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(),
        unit->isOptimized(), unit->getFlags(), unit->getRuntimeVersion(), unit->getSplitDebugFilename(),
        DICompileUnit::LineTablesOnly, unit->getEnumTypes(), unit->getRetainedTypes(),
        unit->getGlobalVariables(), unit->getImportedEntities(), unit->getMacros(), unit->getDWOId(),
        unit->getSplitDebugInlining(), unit->getDebugInfoForProfiling(), unit->getNameTableKind(),
        unit->getRangesBaseAddress(), unit->getSysRoot(), unit->getSDK());
    units->setOperand(i, complete[unit]);
  }
  DebugInfoFinder finder;
  finder.processModule(module);
  for (DISubprogram *function : finder.subprograms())
    if (DICompileUnit *unit = complete.lookup(function->getUnit()))
      function->replaceUnit(unit);
}

bool isPrivateToCompiler(const GlobalVariable &variable) {
  return variable.getName().starts_with("llvm.") || variable.getName() == kLaneStateSymbol;
}

/// Makes everything local to the object. Returns the variables that the host may
/// ask for.
std::vector<GlobalVariable *> internalise(Module &module) {
  std::vector<GlobalVariable *> visible;
  for (GlobalVariable &variable : module.globals()) {
    if (isPrivateToCompiler(variable))
      continue;
    const unsigned space = variable.getAddressSpace();
    const bool device = space == kGlobalSpace || space == kConstantSpace;
    if (variable.isDeclaration()) {
      // threadIdx and its like are only somebody's `this`.
      if (!variable.getName().ends_with("Idx") && !variable.getName().ends_with("Dim") &&
          variable.getName() != "warpSize")
        warn(nullptr,
             "device variable " + variable.getName() +
                 " is not defined in this module; it is zero here (code in several files needs -rdc=true)");
      variable.setInitializer(Constant::getNullValue(variable.getValueType()));
    } else if (device && (variable.isExternallyInitialized() || !variable.hasLocalLinkage())) {
      visible.push_back(&variable);
      if (variable.isExternallyInitialized())
        variable.setConstant(false);
    }
    variable.setExternallyInitialized(false);
    variable.setVisibility(GlobalValue::DefaultVisibility);
    variable.setComdat(nullptr);
    // Constant memory lies together, so that the runtime can tell it from global memory.
    variable.setSection(space == kConstantSpace ? kConstantSection : "");
    if (space == kConstantSpace)
      variable.setConstant(false);
    if (!variable.hasPrivateLinkage())
      variable.setLinkage(GlobalValue::InternalLinkage);
    variable.setDSOLocal(true);
  }
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setVisibility(GlobalValue::DefaultVisibility);
    function.setComdat(nullptr);
    function.setLinkage(GlobalValue::InternalLinkage);
    function.setDSOLocal(true);
  }
  for (GlobalAlias &alias : module.aliases()) {
    alias.setVisibility(GlobalValue::DefaultVisibility);
    alias.setLinkage(GlobalValue::InternalLinkage);
    alias.setDSOLocal(true);
  }
  return visible;
}

} // namespace

bool retarget(Module &module, const RetargetOptions &options, std::string &error) {
  if (!module.getTargetTriple().isNVPTX()) {
    error =
        "the module is for " + module.getTargetTriple().str() + ", not for nvptx64: is this device bitcode?";
    return false;
  }
  const std::uint32_t architecture = architectureOf(module);
  std::vector<Function *> kernels;
  for (Function &function : module)
    if (!function.isDeclaration() && function.getCallingConv() == CallingConv::PTX_Kernel)
      kernels.push_back(&function);

  const Triple host(sys::getDefaultTargetTriple());
  module.setTargetTriple(host);
  module.setDataLayout(host.computeDataLayout());
  foldReflection(module, architecture);
  dropDeviceMetadata(module);
  keepLineTables(module);
  stripAttributes(module, host.isX86_64() ? options.hostCpu : std::string());

  DeviceBuilder builder(module);
  contractSums(module, builder);
  approximateDivisions(module, builder);
  flushDenormals(module, builder);
  guardDivisions(module, builder);
  clampShifts(module, builder);
  yieldInSpinLoops(module, builder, kernels);
  stepWarps(module, builder);
  markIterations(module, builder);
  spellImageIntrinsics(module);
  lowerInlineAssembly(module, builder);
  lowerIntrinsics(module, builder);
  lowerTraps(module, builder);
  bindLibrary(module, builder);
  insertAccessChecks(module, builder);
  expandHooks(module, builder);
  const SharedSizes shared = lowerSharedMemory(module, builder, kernels);
  const std::vector<GlobalVariable *> variables = internalise(module);
  if (options.logAccesses)
    insertWitnessCalls(module, builder, options.logValues);
  emitTables(module, kernels, shared, variables, options, architecture);
  // The host's code generator calls libm and libc by name: a device function of
  // that name must not be taken for it. Kernels' names are in the tables by now.
  for (Function &function : module)
    if (!function.isDeclaration() && !function.getName().starts_with("_Z"))
      function.setName(function.getName() + ".device");
  std::string broken;
  raw_string_ostream stream(broken);
  if (verifyModule(module, &stream)) {
    error = "the retargeted module is malformed: " + broken;
    return false;
  }
  return true;
}

} // namespace cupr::cpu

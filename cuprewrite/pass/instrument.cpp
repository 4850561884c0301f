/// Long, since clones, the way of the trace through them and the site table are made in turn, each from what the ones before have left.
#include "instrument.h"

#include "access_timing.h"
#include "body_sites.h"
#include "calling_contexts.h"
#include "column_map.h"
#include "declared_variables.h"
#include "derived_variant.h"
#include "devicelib/abi/hooks.h"
#include "devicelib/abi/symbols.h"
#include "devicelib/abi/trace_argument.h"
#include "hook_calls.h"
#include "lane_operations.h"
#include "plan.h"
#include "report_builder.h"
#include "site_table.h"
#include "source_loops.h"
#include "source_types.h"
#include "unrecorded_blocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/Cloning.h"

#define DEBUG_TYPE "cupr-instrument"

using namespace llvm;

namespace cupr::pass {
namespace {

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

/// A trace that records nothing. References to the trace must not be null: the optimiser counts on it.
Constant *noTrace(Module &module) {
  GlobalVariable *none = module.getGlobalVariable(kNoTrace, /*AllowInternal=*/true);
  if (!none) {
    Type *type = ArrayType::get(Type::getInt8Ty(module.getContext()), sizeof(Trace));
    none = new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                              Constant::getNullValue(type), kNoTrace, nullptr, GlobalValue::NotThreadLocal,
                              NVPTXAS::ADDRESS_SPACE_GLOBAL);
    none->setAlignment(Align(alignof(Trace)));
  }
  return ConstantExpr::getAddrSpaceCast(none, PointerType::get(module.getContext(), 0));
}

class Instrumenter {
public:
  Instrumenter(Module &module, const SourcePlaces &places, SourceTypes &types,
               const DeclaredVariables &variables, const SourceLoops &loops)
      : module_(module), context_(module.getContext()), pointerType_(PointerType::get(context_, 0)),
        variables_(variables), loops_(loops), places_(places), sites_(places, types, variables),
        hooks_(module) {}

  void run(std::vector<ContextPlan> &plans, Derivations derivations) {
    for (const ContextPlan &plan : plans)
      blockTraceNeeded_ |= plan.isKept();
    traced_.contexts.emplace(plans, CallingContexts::Bodies::ClonesAndKept, sites_);
    if (latencyScheme() != abi::LatencyScheme::None)
      timed_.contexts.emplace(plans, CallingContexts::Bodies::Clones, sites_);
    // All clones are made of untouched originals.
    for (ContextPlan &plan : plans) {
      const bool kernel = isKernel(*plan.context->function);
      for (Variant *variant : {&traced_, &timed_})
        if (const BodyContexts *contexts = variant->contexts ? variant->contexts->ofClone(plan) : nullptr) {
          const char *const prefix = variant->isTimed ? CUPR_TIMED_PREFIX : CUPR_TRACED_PREFIX;
          Clone &clone = variant->clones[plan.context];
          clone =
              cloneOf(*plan.context->function, kernel ? prefix : nullptr,
                      cloneName(*plan.context) + (variant->isTimed ? ".timed" : ""), contexts->isHanded());
          clone.contexts = contexts;
        }
      if (!kernel)
        continue;
      Derivation &derivation = derivations.at(plan.context);
      if (derivation.isDerived())
        derived_.emplace(
            plan.context,
            DerivedVariant{*cloneOf(*plan.context->function, CUPR_DERIVED_PREFIX, {}, false).function,
                           std::move(derivation.graph)});
      else
        printObstacles(*plan.context->function, derivation);
    }
    // Clones first: what is erased from an original disappears from the maps of its clones.
    for (const Variant *variant : {&traced_, &timed_})
      for (const ContextPlan &plan : plans)
        if (const auto clone = variant->clones.find(plan.context); clone != variant->clones.end())
          instrument(plan,
                     {*clone->second.function, clone->second.map.get(), *clone->second.contexts, *variant});
    // Functions that keep their signature are of both variants: what they access is not timed.
    for (const ContextPlan &plan : plans)
      if (plan.isKept())
        instrument(plan, {*plan.context->function, nullptr, *traced_.contexts->ofKept(plan), traced_});
    for (const ContextPlan &plan : plans)
      if (const auto derived = derived_.find(plan.context); derived != derived_.end())
        derive(plan, derived->second);
    dropUnused(plans);
    describeKernels(plans);
    describeSource();
    writeIntervals(intervalList_);
  }

private:
  struct Clone {
    Function *function = nullptr;
    std::unique_ptr<ValueToValueMapTy> map;
    const BodyContexts *contexts = nullptr;
  };
  /// Of the kernels' traced or timed variants.
  struct Variant {
    bool isTimed;
    std::optional<CallingContexts> contexts;
    std::map<Context *, Clone> clones;
  };
  /// What is instrumented: a clone, or a function that keeps its signature, as it is.
  struct Body {
    Function &function;
    const ValueToValueMapTy *map; ///< of a clone; null: it is the original
    const BodyContexts &contexts;
    const Variant &variant; ///< whose clones it calls

    bool isKept() const { return !map; }
    /// The instruction that stands for this one of the original.
    template <typename T> T *instruction(T *original) const {
      Value *copy = map ? map->lookup(original) : original;
      return cast_or_null<T>(copy);
    }
    /// The value for one of the original.
    Value *mapped(Value *value) const {
      Value *const found = map ? map->lookup(value) : nullptr;
      return found ? found : value;
    }
  };

  /// A copy with the trace as a parameter. `prefix`: of a kernel's variant; null: it is a device function's, and
  /// gets `name`. `isHanded`: its sites' numbers depend on the caller, and are a parameter, too.
  Clone cloneOf(Function &original, const char *prefix, const std::string &name, bool isHanded) {
    const bool addsTrace = !prefix || !takesTrace(original);
    SmallVector<Type *, 8> parameters(original.getFunctionType()->params());
    if (addsTrace)
      parameters.push_back(pointerType_);
    if (isHanded)
      parameters.push_back(Type::getInt32Ty(context_));
    const auto linkage = prefix ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage;
    Function *copy = Function::Create(FunctionType::get(original.getReturnType(), parameters, false), linkage,
                                      original.getAddressSpace(),
                                      prefix ? prefix + original.getName() : Twine(name), &module_);
    Clone clone{copy, std::make_unique<ValueToValueMapTy>(), nullptr};
    for (Argument &argument : original.args()) {
      copy->getArg(argument.getArgNo())->setName(argument.getName());
      (*clone.map)[&argument] = copy->getArg(argument.getArgNo());
    }
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(copy, &original, *clone.map, CloneFunctionChangeType::LocalChangesOnly, returns);
    if (addsTrace)
      copy->getArg(original.arg_size())->setName("cupr.trace");
    if (isHanded)
      copy->getArg(original.arg_size() + 1)->setName("cupr.context");
    if (addsTrace && prefix)
      passByValue(*copy->getArg(original.arg_size()));
    copy->setLinkage(linkage);
    copy->setVisibility(GlobalValue::DefaultVisibility);
    copy->setDSOLocal(true);
    copy->setComdat(nullptr);
    return clone;
  }

  /// Completes the variant of the kernel whose accesses are derived.
  void derive(const ContextPlan &plan, DerivedVariant &variant) {
    Function &original = *plan.context->function;
    const auto numberOf = [&](const GlobalVariable &variable) {
      const auto known = find(sliceVariables_, &variable);
      const auto number = static_cast<std::uint32_t>(known - sliceVariables_.begin());
      if (known == sliceVariables_.end())
        sliceVariables_.push_back(const_cast<GlobalVariable *>(&variable));
      return number;
    };
    if (!variant.buildSlice(original, sites_, numberOf))
      return;
    forgetPurity(variant.function());
    variant.insertHooks(hooks_, kernelTrace(original, variant.function()));
  }

  /// As the rewriter declares it: `const __grid_constant__ cupr::Trace`.
  void passByValue(Argument &trace) {
    constexpr std::uint64_t kWords = sizeof(Trace) / sizeof(std::uint64_t);
    trace.addAttr(Attribute::getWithByValType(context_, ArrayType::get(Type::getInt64Ty(context_), kWords)));
    trace.addAttr(Attribute::getWithAlignment(context_, Align(alignof(Trace))));
    trace.addAttr(Attribute::get(context_, "nvvm.grid_constant"));
  }

  /// Whether the function, or one that it calls, makes a call whose target isn't seen.
  bool mayCallUnseen(const Function &function) {
    SmallPtrSet<const Function *, 16> seen{&function};
    SmallVector<const Function *, 16> work{&function};
    while (!work.empty())
      for (const Instruction &instruction : instructions(*work.pop_back_val()))
        if (const auto *call = dyn_cast<CallBase>(&instruction); call && !call->isInlineAsm()) {
          const auto *callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts());
          if (!callee)
            return true;
          if (seen.insert(callee).second)
            work.push_back(callee);
        }
    return false;
  }

  /// The trace in one body. `recording`: whether the thread's accesses are recorded; `handle`: the trace
  /// for those that the body calls, null if nothing is recorded.
  struct TraceHere {
    Value *trace, *recording, *handle;
    Value *stage;  ///< in timed variants: what hooks of timed accesses take in place of `recording`
    Value *handed; ///< by the caller, for the numbers of sites; null: these are constants
  };

  /// The trace in a kernel's variant.
  static Argument *kernelTrace(const Function &original, Function &body) {
    Argument *const argument = body.getArg(traceParameter(original));
    for (const Attribute::AttrKind kind :
         {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::Captures})
      argument->removeAttr(kind);
    return argument;
  }

  TraceHere traceOf(const ContextPlan &plan, const Body &of) {
    Function &body = of.function, &original = *plan.context->function;
    const Variant &variant = of.variant;
    BasicBlock &entry = body.getEntryBlock();
    IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    TraceHere here{};
    if (isKernel(body)) {
      Constant *const none = ConstantPointerNull::get(pointerType_);
      here.trace = kernelTrace(original, body);
      here.recording = builder.CreateCall(
          module_.getOrInsertFunction(CUPR_RECORDING_HOOK, builder.getInt1Ty(), pointerType_), {here.trace},
          "cupr.recording");
      if (variant.isTimed)
        here.stage = hooks_.stage(builder, here.trace, here.recording, /*begins=*/true);
      const bool handsOn = any_of(plan.context->calls,
                                  [&](const auto &call) { return variant.clones.count(call.second) != 0; });
      const bool stores = blockTraceNeeded_ && mayCallUnseen(original);
      if (handsOn || stores)
        here.handle = builder.CreateSelect(here.recording, here.trace, none, "cupr.handle");
      if (stores) {
        storeBlockTrace(body, here.handle, builder.GetInsertPoint());
        if (!variant.isTimed) // the traced variant's has done it
          storeBlockTrace(original, none, original.getEntryBlock().begin());
      }
      return here;
    }
    here.trace = of.isKept() ? builder.CreateAlignedLoad(pointerType_, blockTrace(), Align(8), "cupr.trace")
                             : static_cast<Value *>(body.getArg(original.arg_size()));
    here.handed = of.contexts.isHanded() ? body.getArg(original.arg_size() + 1) : nullptr;
    here.handle = here.trace;
    if (!plan.accesses.empty())
      here.recording = builder.CreateIsNotNull(here.trace, "cupr.recording");
    if (variant.isTimed && here.recording)
      here.stage = hooks_.stage(builder, here.trace, here.recording, /*begins=*/false);
    return here;
  }

  void storeBlockTrace(Function &kernel, Value *trace, BasicBlock::iterator at) {
    IRBuilder<> builder(&kernel.getEntryBlock(), at);
    builder.CreateAlignedStore(trace, blockTrace(), Align(8));
  }

  void instrument(const ContextPlan &plan, const Body &of) {
    Function &body = of.function;
    const Variant &variant = of.variant;
    forgetPurity(body);
    const TraceHere here = traceOf(plan, of);
    BodySites sites(sites_, of.contexts, here.handed);
    if (const auto derived = derived_.find(plan.context); derived != derived_.end() && !variant.isTimed)
      for (std::uint32_t site = sites.next(); GlobalVariable *variable : plan.sharedVariables)
        derived->second.add(*variable, site++);
    if (!plan.sharedVariables.empty())
      hooks_.insertVariables(plan.sharedVariables, *cast<Instruction>(here.recording)->getNextNode(), sites,
                             here.trace, here.recording);
    insertHooks(plan, of, sites, here);
    if (latencyScheme() != abi::LatencyScheme::None && (variant.isTimed || of.isKept()))
      unstageAtEnds(body, here);
    if (variant.isTimed && isKernel(body))
      leaveUnrecordedAlone(*plan.context->function, body, *cast<Instruction>(here.recording));
    for (CallBase *original : plan.currents) {
      CallBase *call = of.instruction(original);
      IRBuilder<> builder(call);
      Value *answer = isKernel(body) ? here.trace
                                     : builder.CreateSelect(builder.CreateIsNotNull(here.trace), here.trace,
                                                            noTrace(module_), "cupr.current");
      call->replaceAllUsesWith(answer);
      call->eraseFromParent();
    }
    for (const auto &[original, target] : plan.context->calls) {
      const auto clone = variant.clones.find(target);
      CallBase *call = of.instruction(original);
      if (clone != variant.clones.end())
        redirect(*call, clone->second, here.handle, of.contexts.calls.at(original), here.handed);
      else if (call)
        forgetPurity(*call);
    }
  }

  /// Whether a thread may end here.
  static bool isEnd(const Instruction &instruction, bool inKernel) {
    if (isa<ReturnInst>(instruction))
      return inKernel;
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      return false;
    if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
      return assembly->getAsmString().contains("exit");
    return call->getIntrinsicID() == Intrinsic::nvvm_exit;
  }

  void unstageAtEnds(Function &body, const TraceHere &here) {
    SmallVector<Instruction *, 4> ends;
    for (Instruction &instruction : instructions(body))
      if (isEnd(instruction, isKernel(body)))
        ends.push_back(&instruction);
    for (Instruction *end : ends)
      hooks_.insertUnstage(*end, here.trace,
                           here.recording ? here.recording : IRBuilder<>(end).CreateIsNotNull(here.trace));
  }

  std::string placeOf(const Instruction &instruction) const {
    const DILocation *const at = places_.userLocation(instruction);
    if (!at)
      return demangle(instruction.getFunction()->getName());
    const SourcePlace place = places_.at(*at);
    return (place.file + ":" + Twine(place.line) + ":" + Twine(place.column)).str();
  }

  void insertHooks(const ContextPlan &plan, const Body &of, BodySites &sites, const TraceHere &here) {
    const Variant &variant = of.variant;
    const auto inThisBody = [&](Value *value) { return of.mapped(value); };
    TimedInstructions timed;
    if (variant.isTimed)
      for (const TracedAccess &traced : plan.accesses)
        if (isTimed(traced.access))
          timed[of.instruction(traced.access.instruction)].accesses.push_back(&traced.access);
    timed.remove_if([&](auto &entry) {
      entry.second.number = ++intervals_;
      return !isKept(intervals_);
    });
    for (const auto &[instruction, interval] : timed)
      intervalList_ += (Twine(interval.number) + "\t" +
                        Twine(static_cast<unsigned>(intervalWaitOf(*instruction, interval))) + "\t" +
                        placeOf(*interval.accesses.front()->instruction) + "\n")
                           .str();
    const auto clocks = timeInstructions(timed, inThisBody);
    for (const TracedAccess &traced : plan.accesses) {
      Instruction &instruction = *of.instruction(traced.access.instruction);
      if (variant.isTimed) {
        const auto found = clocks.find(&instruction);
        const AccessClocks *const its = found == clocks.end() ? nullptr : &found->second;
        if (!its)
          hooks_.insertUnstage(instruction, here.trace, here.recording);
        hooks_.insert(asTimed(traced, its != nullptr), instruction, sites, here.trace,
                      its ? here.stage : here.recording, inThisBody, its);
        continue;
      }
      const std::uint32_t site = sites.next();
      hooks_.insert(traced, instruction, sites, here.trace, here.recording, inThisBody, /*clocks=*/nullptr);
      if (const auto derived = derived_.find(plan.context); derived != derived_.end())
        derived->second.add(traced, site);
    }
  }

  /// `on`: what the callee is handed for its sites; `handed`: what this body was.
  void redirect(CallBase &call, const Clone &callee, Value *trace, const HandedOn &on, Value *handed) {
    Function &target = *callee.function;
    SmallVector<Value *, 8> arguments(call.args());
    arguments.push_back(trace);
    if (callee.contexts->isHanded()) {
      IRBuilder<> builder(&call);
      Value *const number = builder.getInt32(on.number);
      arguments.push_back(on.isAdded ? builder.CreateAdd(handed, number, "cupr.context") : number);
    }
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
        if (!traced_.clones.count(plan.context) || gone_.contains(original) || isKernel(*original) ||
            !original->hasLocalLinkage() || !original->use_empty())
          continue;
        gone_.insert(original);
        original->eraseFromParent();
        dropped = true;
      }
    }
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

  /// Which parameter of the kernel's traced variant is the trace.
  static unsigned traceParameter(const Function &kernel) {
    return takesTrace(kernel) ? 0 : static_cast<unsigned>(kernel.arg_size());
  }

  /// Adds the site table and the KernelInfo of each kernel. The host asks for the
  /// latter by name, so they must not be optimised away.
  void describeKernels(const std::vector<ContextPlan> &plans) {
    const std::string blob = sites_.blob();
    Constant *bytes = ConstantDataArray::getString(context_, blob, /*AddNull=*/false);
    Constant *table = ConstantExpr::getAddrSpaceCast(
        deviceVariable(bytes, "__cupr_site_table", GlobalValue::InternalLinkage), pointerType_);
    Type *const i32 = Type::getInt32Ty(context_), *const i64 = Type::getInt64Ty(context_);
    Constant *variables = ConstantPointerNull::get(pointerType_);
    if (!sliceVariables_.empty()) {
      SmallVector<Constant *, 4> addresses;
      for (GlobalVariable *variable : sliceVariables_)
        addresses.push_back(ConstantExpr::getPointerBitCastOrAddrSpaceCast(variable, pointerType_));
      variables = ConstantExpr::getAddrSpaceCast(
          deviceVariable(ConstantArray::get(ArrayType::get(pointerType_, addresses.size()), addresses),
                         "__cupr_slice_variables", GlobalValue::InternalLinkage),
          pointerType_);
    }
    for (const ContextPlan &plan : plans) {
      const Function &kernel = *plan.context->function;
      if (!isKernel(kernel))
        continue;
      Constant *info = ConstantStruct::getAnon(
          {ConstantInt::get(i32, abi::kKernelInfoMagic), ConstantInt::get(i32, CUPR_ABI_VERSION), table,
           ConstantInt::get(i64, blob.size()), variables, ConstantInt::get(i32, sliceVariables_.size()),
           ConstantInt::get(i32,
                            derived_.count(plan.context) ? derived_.at(plan.context).slice() : abi::kNoSlice),
           ConstantInt::get(i32, traced_.clones.at(plan.context).function->arg_size()),
           ConstantInt::get(i32, traceParameter(kernel))});
      deviceVariable(info, CUPR_KERNEL_INFO_PREFIX + kernel.getName(), GlobalValue::ExternalLinkage);
    }
  }

  /// The host asks for it by name, as above, and so it is there: asking for what is not is an error to tools that watch the driver.
  void describeSource() {
    deviceVariable(ConstantDataArray::getString(context_, variables_.tableOf(module_), /*AddNull=*/true),
                   CUPR_DECLARED_VARIABLES, GlobalValue::ExternalLinkage);
    deviceVariable(ConstantDataArray::getString(context_, sites_.loops(loops_), /*AddNull=*/true),
                   CUPR_SOURCE_LOOPS, GlobalValue::ExternalLinkage);
  }

  Module &module_;
  LLVMContext &context_;
  PointerType *pointerType_;
  const DeclaredVariables &variables_;
  const SourceLoops &loops_;
  const SourcePlaces &places_;
  SiteTable sites_;
  HookCalls hooks_;
  Variant traced_{/*isTimed=*/false, {}, {}}, timed_{/*isTimed=*/true, {}, {}};
  std::map<Context *, DerivedVariant> derived_;
  std::vector<GlobalVariable *> sliceVariables_; ///< whose addresses slices need
  SmallPtrSet<Function *, 8> gone_;
  std::uint32_t intervals_ = 0; ///< of timed accesses, so far
  std::string intervalList_;    ///< for writeIntervals
  bool blockTraceNeeded_ = false;
};

} // namespace

void answerUntraced(Module &module) {
  Function *current = module.getFunction(CUPR_CURRENT_SYMBOL);
  if (!current)
    return;
  for (User *user : make_early_inc_range(current->users())) {
    auto *call = cast<CallBase>(user);
    call->replaceAllUsesWith(noTrace(module));
    call->eraseFromParent();
  }
  current->eraseFromParent();
}

PreservedAnalyses InstrumentPass::run(Module &module, ModuleAnalysisManager &analyses) {
  if (!module.getTargetTriple().isNVPTX() || module.getModuleFlag(kInstrumentedFlag))
    return PreservedAnalyses::all();
  const ColumnMap columns = ColumnMap::take(module);
  const SourcePlaces places(columns);
  SourceTypes types = SourceTypes::take(module);
  const DeclaredVariables variables = DeclaredVariables::take(module, columns);
  const SourceLoops loops = SourceLoops::take(module, columns);
  markLaneOperations(module, analyses);
  const AddressSpaceAnalysis analysis(module);
  std::vector<ContextPlan> plans =
      planTracing(analysis, ValueChoice(places), [&](const Instruction &instruction, StringRef reason) {
        OptimizationRemarkMissed remark(DEBUG_TYPE, "NotTraced", &instruction);
        remark << "not traced: " << reason;
        module.getContext().diagnose(remark);
      });
  Derivations derivations = planDerivations(plans);
  writeStaticReport(module, analysis, plans, derivations, places);
  if (!plans.empty()) {
    module.addModuleFlag(Module::Override, kInstrumentedFlag, CUPR_ABI_VERSION);
    Instrumenter(module, places, types, variables, loops).run(plans, std::move(derivations));
  }
  answerUntraced(module);
  return PreservedAnalyses::none();
}

} // namespace cupr::pass

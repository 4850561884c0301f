#include "plan.h"

#include "devicelib/abi/trace_argument.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#define DEBUG_TYPE "cupr-instrument"

using namespace llvm;

STATISTIC(numProven, "Accesses traced because they are proven global");
STATISTIC(numDecided, "Accesses whose space is decided at run time");
STATISTIC(numNotGlobal, "Accesses not traced: proven not global");
STATISTIC(numUnsupported, "Accesses not traced: no way to record them");
STATISTIC(numUntracedKernels, "Kernels without room for a trace argument");

namespace cupr::pass {

bool takesTrace(const Function &kernel) {
  if (kernel.arg_empty() || !kernel.getArg(0)->hasByValAttr())
    return false;
  const auto *record = dyn_cast<StructType>(kernel.getArg(0)->getParamByValType());
  return record && record->hasName() && record->getName().starts_with("struct.cupr::argument::Trace");
}

namespace {

/// The parameter space of a kernel (CUDA programming guide, "Kernel parameters").
constexpr std::uint64_t kMaxParameterBytes = 32764;

/// Whether the kernel has the trace among its parameters, or room for it.
bool hasRoomForTrace(const Function &kernel) {
  if (takesTrace(kernel))
    return true;
  const DataLayout &layout = kernel.getParent()->getDataLayout();
  std::uint64_t bytes = 0;
  for (const Argument &argument : kernel.args()) {
    Type *const type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    const Align alignment = argument.getParamAlign().value_or(layout.getABITypeAlign(type));
    bytes = alignTo(bytes, alignment) + layout.getTypeAllocSize(type).getFixedValue();
  }
  return alignTo(bytes, 8) + sizeof(Trace) <= kMaxParameterBytes;
}

ContextPlan planContext(const AddressSpaceAnalysis &analysis, Context &context, const SkipReporter &skipped) {
  ContextPlan plan;
  plan.context = &context;
  for (Instruction &instruction : instructions(*context.function)) {
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && call->getCalledFunction() && call->getCalledFunction()->getName() == kCurrentSymbol)
      plan.currents.push_back(call);
    std::string reason;
    for (const Access &access : accessesOf(instruction, reason)) {
      const Space space = access.saysGlobal ? Space::Global
                          : access.pointer->getType()->isIntegerTy()
                              ? Space::Both
                              : analysis.spaceOf(context, access.pointer);
      switch (space) {
      case Space::Global:
        plan.accesses.push_back({access, abi::SpaceVerdict::Global});
        ++numProven;
        break;
      case Space::NotGlobal:
        ++numNotGlobal;
        break;
      case Space::Both:
      case Space::Unvisited: // no source was found: let the run-time check decide
        plan.accesses.push_back({access, abi::SpaceVerdict::Decided});
        ++numDecided;
        break;
      }
    }
    if (!reason.empty()) {
      ++numUnsupported;
      skipped(instruction, reason);
    }
  }
  plan.needsTrace = !plan.accesses.empty() || !plan.currents.empty();
  return plan;
}

} // namespace

std::vector<ContextPlan> planTracing(const AddressSpaceAnalysis &analysis, const SkipReporter &skipped) {
  // While values were still rising, calls led to contexts that no call leads to in the end.
  std::vector<Context *> reached;
  SmallPtrSet<Context *, 16> seen;
  bool anyKernel = false;
  for (const auto &context : analysis.contexts()) {
    const Function &function = *context->function;
    if (isKernel(function) && !hasRoomForTrace(function)) {
      ++numUntracedKernels;
      skipped(*function.getEntryBlock().begin(), kNoRoomForTrace);
    } else if (isKernel(function) || isCalledFromOutside(function)) {
      anyKernel |= isKernel(function);
      if (seen.insert(context.get()).second)
        reached.push_back(context.get());
    }
  }
  if (!anyKernel)
    return {};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (Instruction &instruction : instructions(*reached[i]->function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Context *target = reached[i]->calls.lookup(call); target && seen.insert(target).second)
          reached.push_back(target);

  std::vector<ContextPlan> plans;
  for (Context *context : reached) {
    plans.push_back(planContext(analysis, *context, skipped));
    // Where a direct call and unseen callers agree on the pattern, they share the function as it is.
    plans.back().keepsSignature = !isKernel(*context->function) && isCalledFromOutside(*context->function) &&
                                  all_of(context->function->args(), [&](const Argument &argument) {
                                    return argument.hasByValAttr() || !holdsPointer(argument.getType()) ||
                                           context->pattern[argument.getArgNo()] == Space::Both;
                                  });
  }
  DenseMap<Context *, ContextPlan *> planOf;
  for (ContextPlan &plan : plans)
    planOf[plan.context] = &plan;
  for (bool moved = true; moved;) {
    moved = false;
    for (ContextPlan &plan : plans)
      for (const auto &[call, target] : plan.context->calls)
        if (!plan.needsTrace && planOf.count(target) && planOf[target]->needsTrace)
          plan.needsTrace = moved = true;
  }
  return plans;
}

} // namespace cupr::pass

#include "plan.h"

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
STATISTIC(numUntracedKernels, "Kernels without a trace argument");

namespace cupr::pass {

bool isKernel(const Function &function) { return function.getCallingConv() == CallingConv::PTX_Kernel; }

bool isTracedKernel(const Function &function) {
  if (!isKernel(function) || function.arg_empty() || !function.getArg(0)->hasByValAttr())
    return false;
  const auto *record = dyn_cast<StructType>(function.getArg(0)->getParamByValType());
  return record && record->hasName() && record->getName().starts_with("struct.cupr::argument::Trace");
}

namespace {

ContextPlan planContext(const AddressSpaceAnalysis &analysis, Context &context, const SkipReporter &skipped) {
  ContextPlan plan;
  plan.context = &context;
  for (Instruction &instruction : instructions(*context.function)) {
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__cupr_current_v1")
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
  bool anyTraced = false;
  for (const auto &context : analysis.contexts())
    anyTraced |= isTracedKernel(*context->function);
  if (!anyTraced)
    return {};
  for (const auto &context : analysis.contexts()) {
    const Function &function = *context->function;
    if (isKernel(function) && !isTracedKernel(function)) {
      ++numUntracedKernels;
      skipped(*function.getEntryBlock().begin(), "this kernel has no trace argument");
    } else if (isTracedKernel(function) || isCalledFromOutside(function)) {
      if (seen.insert(context.get()).second)
        reached.push_back(context.get());
    }
  }
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

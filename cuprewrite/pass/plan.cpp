#include "plan.h"
#include "access_timing.h"
#include "devicelib/abi/symbols.h"
#include "devicelib/abi/trace_argument.h"
#include "instruction_class.h"
#include "local_variables.h"
#include "locked_paths.h"
#include "pointer_space.h"
#include "shared_variables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/CommandLine.h"

#define DEBUG_TYPE "cupr-instrument"

using namespace llvm;

STATISTIC(numProven, "Accesses traced because their space is proven");
STATISTIC(numDecided, "Accesses whose space is decided at run time");
STATISTIC(numElsewhere, "Accesses not traced: proven to be in a space that is not traced");
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
  return alignTo(bytes, 8) + sizeof(Trace) <= abi::kMaxParameterBytes;
}

using abi::MemorySpace;
using abi::Operation;
using abi::SpaceSet;

/// Of memory with addresses.
constexpr SpaceSet kAllSpaces = ((1u << abi::kMemorySpaces) - 1) & ~abi::spaceBit(MemorySpace::Texture);
constexpr SpaceSet kGlobalSpace = abi::spaceBit(MemorySpace::Global);

struct SpaceList {
  SpaceSet set = kGlobalSpace;
};

/// -cupr-spaces=global,shared
struct SpaceListParser : cl::parser<SpaceList> {
  using cl::parser<SpaceList>::parser;
  bool parse(cl::Option &option, StringRef, StringRef text, SpaceList &value) {
    if (abi::parseSpaces(text.str().c_str(), value.set))
      return false;
    return option.error("'" + text + "': expected a list of " + abi::kSpaceNames);
  }
};

cl::opt<SpaceList, false, SpaceListParser>
    tracedSpaces("cupr-spaces", cl::value_desc("list"),
                 cl::desc("Memory to trace accesses of (default: global)"));

bool isTraced(MemorySpace space) { return abi::holds(tracedSpaces.set, space); }

/// The spaces of the objects that a pointer leads to; none for kernel parameters, all where an object is
/// not known.
SpaceSet spacesOfObjects(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  SpaceSet spaces = 0;
  for (const Value *object : objects) {
    if (isa<UndefValue, ConstantPointerNull>(object))
      continue;
    if (isa<AllocaInst>(object)) {
      spaces |= abi::spaceBit(MemorySpace::Local);
    } else if (const auto *argument = dyn_cast<Argument>(object); argument && argument->hasByValAttr()) {
      continue;
    } else if (const auto byType = spaceOfPointerType(*object->getType())) {
      spaces |= abi::spaceBit(*byType);
    } else if (isa<GlobalVariable>(object)) {
      spaces |= kGlobalSpace;
    } else {
      return kAllSpaces;
    }
  }
  return spaces;
}

/// All spaces that the access may be in, traced or not.
SpaceSet possibleSpaces(const AddressSpaceAnalysis &analysis, const Context &context, const Access &access) {
  if (access.space)
    return abi::spaceBit(*access.space);
  if (access.pointer->getType()->isIntegerTy())
    return kAllSpaces;
  switch (analysis.spaceOf(context, access.pointer)) {
  case Space::Global:
    return kGlobalSpace;
  case Space::NotGlobal:
    return spacesOfObjects(access.pointer) & ~kGlobalSpace;
  case Space::Both:
  case Space::Unvisited: // no source was found: let the run-time check decide
    return kAllSpaces;
  }
  return kAllSpaces;
}

/// The instructions of a function that run together, as what is recorded, by the instruction in front of which that is.
std::map<const Instruction *, TracedAccess> planExecutions(const AddressSpaceAnalysis &analysis,
                                                           const Context &context) {
  std::map<const Instruction *, InstructionMix> mixes;
  const auto spaceOf = [&](const Access &access) -> std::optional<MemorySpace> {
    const SpaceSet possible = possibleSpaces(analysis, context, access);
    if (!isPowerOf2_32(possible))
      return std::nullopt;
    return static_cast<MemorySpace>(Log2_32(possible));
  };
  for (Instruction &instruction : instructions(*context.function)) {
    SmallVector<Untraced, 1> unknown;
    const auto count = [&](const Twine &name, std::uint64_t times) {
      mixes[&instruction][name.str()] += times;
    };
    visitAccessClasses(accessesOf(instruction, unknown), spaceOf, count);
    visitClasses(instruction, count);
  }
  std::map<const Instruction *, TracedAccess> executions;
  for (ExecutedRegion &region : executedRegions(*context.function, mixes)) {
    TracedAccess execution;
    execution.access.instruction = region.first;
    execution.access.pointer = ConstantInt::get(Type::getInt64Ty(context.function->getContext()), 0);
    execution.access.operation = abi::Operation::Instructions;
    execution.access.space = MemorySpace::Global;
    execution.executed = std::move(region.lines);
    executions.emplace(region.first, std::move(execution));
  }
  return executions;
}

ContextPlan planContext(const AddressSpaceAnalysis &analysis, Context &context, const ValueChoice &values,
                        LocalVariables &variables, const SkipReporter &skipped) {
  ContextPlan plan;
  plan.context = &context;
  std::map<const Instruction *, TracedAccess> executions;
  if (recordsInstructions())
    executions = planExecutions(analysis, context);
  std::optional<LockedPaths> locked;
  if (recordsSynchronisation())
    locked.emplace(*context.function);
  for (Instruction &instruction : instructions(*context.function)) {
    if (const auto execution = executions.find(&instruction); execution != executions.end())
      plan.accesses.push_back(std::move(execution->second));
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && call->getCalledFunction() && call->getCalledFunction()->getName() == CUPR_CURRENT_SYMBOL)
      plan.currents.push_back(call);
    // A timed kernel's first access is not to have their hooks in its interval.
    if (isTraced(MemorySpace::Local) && latencyScheme() == abi::LatencyScheme::None)
      for (Access &begun : variables.begunAt(instruction))
        plan.accesses.push_back({std::move(begun), abi::spaceBit(MemorySpace::Local)});
    SmallVector<Untraced, 1> untraced;
    for (Access &access : accessesOf(instruction, untraced)) {
      const SpaceSet possible = possibleSpaces(analysis, context, access);
      const SpaceSet wanted = abi::isAccess(access.operation) ? possible & tracedSpaces.set : possible;
      if (!wanted) {
        ++numElsewhere;
        if (abi::isOfImage(access.operation) && isTraced(MemorySpace::Global))
          skipped(
              instruction,
              "textures and surfaces have coordinates, not addresses: --spaces=global,texture records them");
        continue;
      }
      const SpaceProof proof = isPowerOf2_32(possible) ? SpaceProof::Proven : SpaceProof::Decided;
      ++(proof == SpaceProof::Proven ? numProven : numDecided);
      const bool hasValues = values.wants(access);
      if (wanted == abi::spaceBit(MemorySpace::Local) && proof == SpaceProof::Proven)
        variables.describe(access);
      access.isRegardless = locked && locked->isRegardless(access);
      const bool hasClock = recordsClocks() && !access.tensor;
      plan.accesses.push_back({std::move(access), wanted, proof, hasValues, hasClock});
    }
    for (const Untraced &missing : untraced) {
      if (!isWanted(missing))
        continue;
      ++numUnsupported;
      skipped(instruction, missing.reason);
    }
  }
  if (isTraced(MemorySpace::Shared) && isKernel(*context.function))
    plan.sharedVariables = sharedVariablesOf(*context.function);
  plan.needsTrace = !plan.accesses.empty() || !plan.currents.empty();
  return plan;
}

} // namespace

TracedAccess asTimed(TracedAccess traced, bool hasDuration) {
  // Figures say what was done to an object. Coordinates stand for an address, but take longer to record than all else of an access.
  const Operation operation = traced.access.operation;
  traced.hasValues &= abi::hasFigures(operation) || (abi::isOfImage(operation) && recordsValues());
  traced.hasDuration = hasDuration;
  traced.hasClock |= hasDuration;
  return traced;
}

bool ContextPlan::hasClone() const {
  return isKernel(*context->function) ||
         (needsTrace && (!keepsSignature || (isCalled && !context->function->isVarArg())));
}

bool isWanted(const Untraced &missing) { return !missing.space || isTraced(*missing.space); }

std::vector<ContextPlan> planTracing(const AddressSpaceAnalysis &analysis, const ValueChoice &values,
                                     const SkipReporter &skipped) {
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
  SmallPtrSet<Context *, 16> called;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (Instruction &instruction : instructions(*reached[i]->function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Context *target = reached[i]->calls.lookup(call)) {
          called.insert(target);
          if (seen.insert(target).second)
            reached.push_back(target);
        }

  std::vector<ContextPlan> plans;
  LocalVariables variables;
  for (Context *context : reached) {
    plans.push_back(planContext(analysis, *context, values, variables, skipped));
    plans.back().keepsSignature = !isKernel(*context->function) && isCalledFromOutside(*context->function) &&
                                  all_of(context->function->args(), [&](const Argument &argument) {
                                    return argument.hasByValAttr() || !holdsPointer(argument.getType()) ||
                                           context->pattern[argument.getArgNo()] == Space::Both;
                                  });
    plans.back().isCalled = called.contains(context);
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

abi::SpaceSet tracedSpaceSet() { return tracedSpaces.set; }

} // namespace cupr::pass

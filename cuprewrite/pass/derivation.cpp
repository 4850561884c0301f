#include "derivation.h"

#include "barrier_kind.h"
#include "determination.h"
#include "storage.h"
#include "unchanged_memory.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<bool> derives("cupr-derive", cl::init(true), cl::desc("Derive accesses that launches determine"));

constexpr abi::SpaceSet kGlobalSpace = abi::spaceBit(abi::MemorySpace::Global),
                        kSharedSpace = abi::spaceBit(abi::MemorySpace::Shared);

/// What a slice can't say of an access, determined or not; empty: nothing.
std::string beyondSlices(const TracedAccess &traced) {
  const Access &access = traced.access;
  if (traced.hasValues)
    return "what it reads or writes is recorded, too";
  if (traced.hasClock)
    return "when it is made is recorded, too";
  if (traced.proof != SpaceProof::Proven)
    return "its memory space is decided at run time";
  if (traced.spaces != kGlobalSpace && traced.spaces != kSharedSpace)
    return "it is neither to global nor to shared memory";
  if (!access.conditions.empty())
    return "a predicate decides whether it is made";
  if (access.tensor)
    return "a tensor map says where it leads";
  if (access.length)
    return "its size is known at run time only";
  if (access.lanes != 32 || access.rowBits)
    return "the threads of a warp make it together";
  return {};
}

/// `needTrace`: the contexts that make accesses that are traced, or lead to some.
Derivation planDerivation(const ContextPlan &plan, const SmallPtrSetImpl<const Context *> &needTrace) {
  Function &kernel = *plan.context->function;
  Derivation result;
  const auto obstacle = [&](const Instruction *instruction, std::string reason,
                            const Value *cause = nullptr) {
    result.obstacles.push_back({instruction, std::move(reason), cause});
  };
  result.graph = std::make_unique<BlockGraph>(kernel);
  if (!derives)
    obstacle(nullptr, "nothing is to be derived (-cupr-derive=false)");
  if (plan.accesses.empty())
    obstacle(nullptr, "it makes no access that is traced");
  if (!plan.currents.empty())
    obstacle(nullptr, "it asks for the trace itself");
  if (result.graph->isEndless())
    obstacle(nullptr, "a loop in it may have no end");
  if (!result.isDerived())
    return result;
  for (const auto &[call, target] : plan.context->calls)
    if (needTrace.contains(target))
      obstacle(call, "it is in a function that is not inlined");
  const UnchangedMemory memory(kernel);
  const Determination determination(kernel, *result.graph, memory);
  for (const BasicBlock *block : result.graph->blocks())
    for (const Instruction &instruction : *block)
      switch (barrierKindOf(instruction)) {
      case BarrierKind::None:
        break;
      case BarrierKind::Block:
        if (!determination.isDetermined(block))
          obstacle(&instruction, "data decides whether the barrier is reached", determination.causeOf(block));
        break;
      case BarrierKind::Unknown:
        obstacle(&instruction, "what is called here may wait for other threads, or end this one");
        break;
      }
  for (const TracedAccess &traced : plan.accesses) {
    const Instruction &instruction = *traced.access.instruction;
    if (!result.graph->contains(instruction.getParent()))
      continue; // it fails behind it
    if (std::string reason = beyondSlices(traced); !reason.empty())
      obstacle(&instruction, std::move(reason));
    else if (!determination.isDetermined(instruction.getParent()))
      obstacle(&instruction, "data decides whether, or how often, it is made",
               determination.causeOf(instruction.getParent()));
    else if (!determination.isDetermined(traced.access.pointer))
      obstacle(&instruction, "its address depends on data", determination.causeOf(traced.access.pointer));
  }
  return result;
}

} // namespace

Derivations planDerivations(const std::vector<ContextPlan> &plans) {
  SmallPtrSet<const Context *, 16> needTrace;
  for (const ContextPlan &plan : plans)
    if (plan.needsTrace)
      needTrace.insert(plan.context);
  Derivations derivations;
  for (const ContextPlan &plan : plans)
    if (isKernel(*plan.context->function))
      derivations.emplace(plan.context, planDerivation(plan, needTrace));
  return derivations;
}

} // namespace cupr::pass

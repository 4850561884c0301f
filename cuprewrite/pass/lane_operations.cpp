#include "lane_operations.h"

#include "memory_ordering.h"
#include "storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Of a kernel: its lane operations need no records.
constexpr StringRef kTogether = "cupr-lanes-together";

bool mayWaitOrLeave(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && (!isa<IntrinsicInst>(call) || call->isConvergent() || call->doesNotReturn());
}

bool namesAll(const Value &mask) {
  const auto *constant = dyn_cast<ConstantInt>(&mask);
  return constant && constant->isMinusOne();
}

/// Whether it can't be wrong wherever all lanes come together. Nothing of what is called is looked at.
bool isRightTogether(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || !mayWaitOrLeave(instruction))
    return true;
  if (const auto what = laneOperationOf(instruction))
    return namesAll(*what->mask);
  const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
  if (!intrinsic)
    return call->getCalledFunction() && call->getCalledFunction()->getName() == "__assertfail";
  const StringRef name = intrinsic->getCalledFunction()->getName();
  return name == "llvm.nvvm.bar.warp.sync"
             ? namesAll(*intrinsic->getArgOperand(0))
             : name.starts_with("llvm.nvvm.barrier.cta.") || name == "llvm.trap";
}

/// Blocks to which lanes of a warp may come apart: those that depend on a branch at which lanes part, or in such a block.
SmallPtrSet<const BasicBlock *, 16> blocksApart(Function &function, UniformityInfo &uniformity) {
  const PostDominatorTree postDominators(function);
  SmallPtrSet<const BasicBlock *, 16> apart;
  SmallVector<const BasicBlock *, 16> work;
  for (const BasicBlock &block : function)
    if (uniformity.hasDivergentTerminator(block))
      work.push_back(&block);
  SmallPtrSet<const BasicBlock *, 16> seen(work.begin(), work.end());
  while (!work.empty()) {
    const BasicBlock *const from = work.pop_back_val();
    const auto *const node = postDominators.getNode(from);
    for (const BasicBlock *to : successors(from))
      for (const auto *at = postDominators.getNode(to); at && (!node || at != node->getIDom());
           at = at->getIDom()) {
        if (!at->getBlock())
          break;
        apart.insert(at->getBlock());
        if (seen.insert(at->getBlock()).second)
          work.push_back(at->getBlock());
      }
  }
  return apart;
}

bool areLanesTogether(Function &kernel, FunctionAnalysisManager &analyses) {
  if (none_of(instructions(kernel),
              [](const Instruction &instruction) { return laneOperationOf(instruction); }) ||
      !all_of(instructions(kernel), isRightTogether))
    return false;
  const SmallPtrSet<const BasicBlock *, 16> apart =
      blocksApart(kernel, analyses.getResult<UniformityInfoAnalysis>(kernel));
  return all_of(instructions(kernel), [&](const Instruction &instruction) {
    return !mayWaitOrLeave(instruction) || !apart.contains(instruction.getParent()) ||
           cast<CallBase>(instruction).doesNotReturn(); // the kernel ends there
  });
}

} // namespace

std::optional<LaneOperation> laneOperationOf(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  StringRef name = call ? call->getCalledFunction()->getName() : StringRef();
  if (!name.consume_front("llvm.nvvm."))
    return std::nullopt;
  SmallVector<StringRef, 8> words;
  name.split(words, '.');
  const auto found = synchronisationNamed(words);
  if (!found || !abi::isOfLanes(found->operation))
    return std::nullopt;
  return LaneOperation{found->operation,
                       call->getArgOperand(found->operation == abi::Operation::WarpReduce ? 1 : 0)};
}

std::uint64_t laneOperationsFrom(const Instruction &first, const LaneOperation &what) {
  if (first.getFunction()->hasFnAttribute(kTogether))
    return 0;
  for (const Instruction *at = first.getPrevNode(); at; at = at->getPrevNode()) {
    if (laneOperationOf(*at) == what)
      return 0;
    if (mayWaitOrLeave(*at))
      break;
  }
  std::uint64_t count = 1;
  for (const Instruction *at = first.getNextNode(); at; at = at->getNextNode()) {
    if (laneOperationOf(*at) == what)
      ++count;
    else if (mayWaitOrLeave(*at))
      break;
  }
  return count;
}

void markLaneOperations(Module &module, ModuleAnalysisManager &analyses) {
  if (!recordsSynchronisation())
    return;
  auto &ofFunctions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function &function : module)
    if (!function.isDeclaration() && isKernel(function) && areLanesTogether(function, ofFunctions))
      function.addFnAttr(kTogether);
}

} // namespace cupr::pass

#include "executed_regions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/CommandLine.h"

#include <tuple>

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<bool> wanted("cupr-instructions", cl::desc("Record what instructions are executed"));

/// Where an instruction comes from; columns are one line's.
using Line = std::tuple<const Metadata *, unsigned, const Metadata *>;
Line lineOf(const Instruction &instruction) {
  const DILocation *const at = instruction.getDebugLoc();
  return at ? Line(at->getScope()->getSubprogram(), at->getLine(), at->getInlinedAt()) : Line{};
}

/// Of each block, the first one of its region.
DenseMap<const BasicBlock *, const BasicBlock *> firstBlocks(Function &function) {
  const DominatorTree dominators(function);
  const PostDominatorTree postDominators(function);
  const LoopInfo loops(dominators);
  DenseMap<const BasicBlock *, const BasicBlock *> first;
  for (const auto *node : depth_first(dominators.getRootNode())) {
    const BasicBlock *const block = node->getBlock();
    first[block] = block;
    for (const auto *above = node->getIDom(); above; above = above->getIDom())
      if (loops.getLoopFor(above->getBlock()) == loops.getLoopFor(block) &&
          postDominators.dominates(block, above->getBlock())) {
        first[block] = first.lookup(above->getBlock());
        break;
      }
  }
  return first;
}

} // namespace

bool recordsInstructions() { return wanted; }

std::string textOf(const InstructionMix &mix) {
  std::string text;
  for (const auto &[name, count] : mix)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(count);
  return text;
}

std::vector<ExecutedRegion> executedRegions(Function &function,
                                            const std::map<const Instruction *, InstructionMix> &mixes) {
  const auto first = firstBlocks(function);
  std::vector<ExecutedRegion> regions;
  DenseMap<const BasicBlock *, std::size_t> numbers;
  std::map<std::pair<std::size_t, Line>, std::size_t> lines;
  for (BasicBlock &block : function) {
    const auto its = first.find(&block);
    if (its == first.end()) // nothing leads there
      continue;
    for (const Instruction &instruction : block) {
      const auto mix = mixes.find(&instruction);
      if (mix == mixes.end())
        continue;
      const auto [number, isNewRegion] = numbers.try_emplace(its->second, regions.size());
      if (isNewRegion)
        regions.push_back({&*const_cast<BasicBlock *>(its->second)->getFirstNonPHIOrDbgOrAlloca(), {}});
      ExecutedRegion &region = regions[number->second];
      const auto [line, isNewLine] =
          lines.try_emplace({number->second, lineOf(instruction)}, region.lines.size());
      if (isNewLine)
        region.lines.push_back({&instruction, {}});
      for (const auto &[name, count] : mix->second)
        region.lines[line->second].mix[name] += count;
    }
  }
  return regions;
}

} // namespace cupr::pass

#include "defer_block_hooks.h"

#include "devicelib/abi/hooks.h"
#include "first_thread.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// What is loaded in a block takes registers while the hook runs.
constexpr std::uint64_t kMostBytes = 64;
/// Branches that are followed; the hook is there once for each way.
constexpr unsigned kMostBranches = 3;

/// Whether nothing is waited for: it reads what lies in the constant bank.
bool isOfConstantBank(const LoadInst &load) {
  const unsigned space = load.getPointerAddressSpace();
  const auto *const argument = dyn_cast<Argument>(getUnderlyingObject(load.getPointerOperand()));
  return space == NVPTXAS::ADDRESS_SPACE_CONST || space == NVPTXAS::ADDRESS_SPACE_PARAM ||
         (argument && argument->hasByValAttr());
}

/// Where the hook goes on one way through the kernel.
struct Place {
  Instruction *before;
  /// The hook belongs on the way from `before`, a branch, to this block, which others lead to as well.
  BasicBlock *onWayTo = nullptr;
  /// In their order: stand behind an instruction that needs what was loaded, and don't need it; they go in front of `before`.
  SmallVector<Instruction *, 16> earlier;
};

/// The places for one hook, from an instruction on that all threads come by.
class Places {
public:
  /// Whether it is worth it: some way has loads in front of the hook.
  bool find(Instruction &from) { return follow(from, kMostBranches) && anyLoads_; }
  ArrayRef<Place> places() const { return places_; }

private:
  /// One basic block, or the part of it that begins at an instruction, up to where something happens.
  struct Stretch {
    Place place{nullptr, nullptr, {}};
    bool isLoading = false;
    Instruction *end = nullptr;
  };

  /// False: too much is loaded at once.
  static bool walk(Instruction &from, Stretch &stretch) {
    SmallPtrSet<const Value *, 16> loaded; // loads, and what depends on them
    std::uint64_t bytes = 0;
    Instruction *firstLate = nullptr;
    SmallVector<Instruction *, 16> earlier;
    for (Instruction *at = &from;; at = at->getNextNode()) {
      if (auto *call = dyn_cast<IntrinsicInst>(at); call && call->isAssumeLikeIntrinsic())
        continue;
      const auto *const load = dyn_cast<LoadInst>(at);
      const bool isSimple = load && load->isSimple(), isWaitedFor = isSimple && !isOfConstantBank(*load);
      if (at->isTerminator() || isa<AllocaInst>(at) ||
          (!isSimple && (at->mayHaveSideEffects() || at->mayReadFromMemory()))) {
        stretch.end = at;
        break;
      }
      const bool isLate = any_of(at->operands(), [&](const Use &use) { return loaded.contains(use.get()); });
      if (isLate || isWaitedFor)
        loaded.insert(at);
      if (isLate && !firstLate)
        firstLate = at;
      if (!isLate && isWaitedFor) {
        bytes += at->getDataLayout().getTypeStoreSize(at->getType());
        if (bytes > kMostBytes)
          return false;
      }
      if (!isLate && firstLate)
        earlier.push_back(at);
    }
    stretch.isLoading = bytes != 0;
    stretch.place = {firstLate ? firstLate : stretch.end, nullptr, std::move(earlier)};
    return true;
  }

  bool follow(Instruction &from, unsigned branches) {
    Stretch stretch;
    if (!walk(from, stretch))
      return false;
    anyLoads_ |= stretch.isLoading;
    auto *const branch = dyn_cast<BranchInst>(stretch.end);
    const bool goesOn =
        !stretch.isLoading && branch &&
        (branch->isConditional() ? branches != 0 && branch->getSuccessor(0) != branch->getSuccessor(1)
                                 : branch->getSuccessor(0)->getSinglePredecessor() != nullptr);
    if (!goesOn) {
      places_.push_back(std::move(stretch.place));
      return true;
    }
    for (BasicBlock *next : branch->successors()) {
      if (!next->getSinglePredecessor())
        places_.push_back({branch, next, {}});
      else if (!follow(*next->getFirstNonPHIOrDbgOrAlloca(), branches - branch->isConditional()))
        return false;
    }
    return true;
  }

  SmallVector<Place, 4> places_;
  bool anyLoads_ = false;
};

/// `hooks`: the block that only its first thread runs; copies of what stands there go to the place.
void insert(const BasicBlock &hooks, const Place &place) {
  Instruction *before = place.before;
  for (Instruction *instruction : place.earlier)
    instruction->moveBefore(before->getIterator());
  if (place.onWayTo)
    before = SplitEdge(before->getParent(), place.onWayTo)->getTerminator();
  IRBuilder<> b(before);
  moveIntoFirstThread(b, *before);
  for (const Instruction &hook : hooks)
    if (!hook.isTerminator())
      b.Insert(hook.clone());
}

void defer(CallInst &hook) {
  BasicBlock *const first = hook.getParent(), *const above = first->getSinglePredecessor(),
                    *const below = first->getSingleSuccessor();
  auto *const choice = above ? dyn_cast<BranchInst>(above->getTerminator()) : nullptr;
  if (!below || !choice || !choice->isConditional() || below == first)
    return;
  Places places;
  if (!places.find(*below->getFirstNonPHIOrDbgOrAlloca()))
    return;
  for (const Place &place : places.places())
    insert(*first, place);
  Value *const isFirst = choice->getCondition();
  ReplaceInstWithInst(choice, BranchInst::Create(below));
  RecursivelyDeleteTriviallyDeadInstructions(isFirst);
  DeleteDeadBlock(first);
  MergeBlockIntoPredecessor(below);
}

} // namespace

void deferBlockHooks(Module &module) {
  Function *const symbol = module.getFunction(CUPR_BLOCK_HOOK);
  if (!symbol)
    return;
  SmallVector<CallInst *, 8> hooks;
  for (User *user : symbol->users())
    if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == symbol)
      hooks.push_back(call);
  for (CallInst *hook : hooks)
    defer(*hook);
}

} // namespace cupr::pass

#include "slice_builder.h"

#include "barrier_kind.h"
#include "slice_needs.h"
#include "slice_terms.h"
#include "unchanged_memory.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <cassert>
#include <map>

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::SliceInput;
using abi::SliceInstruction;
using abi::SliceOperation;

class Builder {
public:
  Builder(Function &kernel, const BlockGraph &graph, ArrayRef<SlicedAccess> accesses,
          ArrayRef<GlobalVariable *> shared,
          function_ref<std::uint32_t(const GlobalVariable &)> variableNumber)
      : kernel_(kernel), layout_(kernel.getDataLayout()), graph_(graph), shared_(shared),
        variableNumber_(variableNumber), needs_(graph) {
    for (const SlicedAccess &access : accesses)
      accesses_[access.instruction].push_back(access);
  }

  std::optional<Slice> run() {
    collect();
    exit_ = label();
    if (const BasicBlock *first = nextKept(graph_.blocks().front()); first != firstKept())
      jump(labelBehind(first));
    for (BasicBlock *block : graph_.blocks())
      if (needs_.keeps(block))
        emit(*block);
    place(exit_);
    emit({.operation = SliceOperation::Exit});
    if (!readRoots_.empty())
      sayRoles();
    for (const GlobalVariable *variable : shared_) // the trace names also those that are not accessed
      variableInput(*variable);
    return finished();
  }

private:
  void collect() {
    for (BasicBlock *block : graph_.blocks())
      for (const Instruction &instruction : *block) {
        if (barrierKindOf(instruction) == BarrierKind::Block)
          needs_.add(block, nullptr);
        if (const auto found = accesses_.find(&instruction); found != accesses_.end())
          for (const SlicedAccess &access : found->second)
            needs_.add(block, access.pointer);
      }
    needs_.close();
  }

  // Registers. Those of inputs and constants come first in the end, so until then they are numbered from kInputs and
  // kConstants.

  enum : std::uint32_t { kInputs = 1u << 30, kConstants = 1u << 29 };

  std::uint32_t fresh() {
    isTooLarge_ |= written_ == abi::kMaxSliceRegisters;
    return isTooLarge_ ? 0 : written_++;
  }

  std::uint32_t constant(std::uint64_t bits) {
    const auto [found, isNew] =
        constantNumbers_.try_emplace(bits, static_cast<std::uint32_t>(slice_.constants.size()));
    if (isNew)
      slice_.constants.push_back(bits);
    return kConstants + found->second;
  }

  std::uint32_t input(const SliceInput &input) {
    const auto same = find_if(slice_.inputs, [&](const SliceInput &known) {
      return known.source == input.source && known.bytes == input.bytes && known.index == input.index &&
             known.offset == input.offset;
    });
    const auto number = static_cast<std::uint32_t>(same - slice_.inputs.begin());
    if (same == slice_.inputs.end())
      slice_.inputs.push_back(input);
    return kInputs + number;
  }

  std::uint32_t variableInput(const GlobalVariable &variable) {
    const auto source = isShared(variable) ? abi::SliceSource::Shared : abi::SliceSource::Variable;
    const std::uint8_t bytes = isShared(variable) ? 4 : 8;
    return input({static_cast<std::uint8_t>(source), bytes, 0, variableNumber_(variable), 0});
  }

  std::uint32_t registerOf(const Value *value) {
    if (const auto *number = dyn_cast<ConstantInt>(value))
      return constant(number->getZExtValue());
    if (const auto *number = dyn_cast<ConstantFP>(value))
      return constant(number->getValueAPF().bitcastToAPInt().getZExtValue());
    if (isa<ConstantPointerNull>(value))
      return constant(0);
    if (const auto *other = dyn_cast<Constant>(value)) {
      const auto place = variablePlaceOf(*other, layout_);
      assert(place && "only determined constants are needed");
      const std::uint32_t base = variableInput(*place->variable);
      return place->offset ? sum(base, constant(static_cast<std::uint64_t>(place->offset))) : base;
    }
    const auto [found, isNew] = registers_.try_emplace(value, 0);
    if (isNew) {
      const auto known = sliceInputOf(*value);
      found->second = known ? input(*known) : fresh();
    }
    return found->second;
  }

  /// What is read for the slice's own sake, and what the kernel writes.
  void sayRoles() {
    const UnchangedMemory memory(kernel_);
    const auto say = [&](const UnchangedMemory::Roots &roots, abi::SliceInputRole role) {
      for (const Value *root : roots) {
        const auto *variable = dyn_cast<GlobalVariable>(root);
        const std::uint32_t number = variable ? variableInput(*variable) : input(*sliceInputOf(*root));
        slice_.inputs[number - kInputs].roles |= role;
      }
    };
    say(readRoots_, abi::kSliceReadsThere);
    say(memory.written(), abi::kSliceWritesThere);
  }

  unsigned widthOf(const Type *type) const {
    return static_cast<unsigned>(layout_.getTypeSizeInBits(const_cast<Type *>(type)).getFixedValue());
  }

  // Code. Targets are labels until all is placed.

  struct Draft {
    SliceOperation operation;
    unsigned width = 0;
    std::uint32_t result = 0, a = 0, b = 0, c = 0;
    unsigned other = 0;
  };

  void emit(const Draft &draft) {
    isTooLarge_ |= drafts_.size() == abi::kMaxSliceInstructions;
    if (!isTooLarge_)
      drafts_.push_back(draft);
  }

  std::uint32_t compute(SliceOperation operation, unsigned width, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t result = fresh();
    emit({operation, width, result, a, b});
    return result;
  }
  std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return compute(SliceOperation::Add, 64, a, b); }

  std::uint32_t label() {
    labels_.push_back(0);
    return static_cast<std::uint32_t>(labels_.size() - 1);
  }
  void place(std::uint32_t label) {
    // A jump to what follows is none. (Who jumps to behind it has been there before.)
    if (!drafts_.empty() && drafts_.back().operation == SliceOperation::Jump && drafts_.back().b == label &&
        lastPlaced_ != drafts_.size())
      drafts_.pop_back();
    labels_[label] = lastPlaced_ = static_cast<std::uint32_t>(drafts_.size());
  }
  std::uint32_t labelOf(const BasicBlock *block) {
    const auto [found, isNew] = blockLabels_.try_emplace(block, 0);
    if (isNew)
      found->second = label();
    return found->second;
  }

  /// The first kept block of those that run behind `block`, itself included, in any case.
  const BasicBlock *nextKept(const BasicBlock *block) const {
    while (block && !needs_.keeps(block))
      block = graph_.meeting(block);
    return block;
  }
  const BasicBlock *firstKept() const {
    const auto *found =
        find_if(graph_.blocks(), [&](const BasicBlock *block) { return needs_.keeps(block); });
    return found == graph_.blocks().end() ? nullptr : *found;
  }
  std::uint32_t labelBehind(const BasicBlock *block) {
    const BasicBlock *next = nextKept(block);
    return next ? labelOf(next) : exit_;
  }

  void jump(std::uint32_t label) { emit({.operation = SliceOperation::Jump, .b = label}); }

  void emit(const BasicBlock &block) {
    place(labelOf(&block));
    for (const Instruction &instruction : block) {
      if (const auto found = accesses_.find(&instruction); found != accesses_.end())
        for (const SlicedAccess &access : found->second)
          emitAccess(access);
      if (barrierKindOf(instruction) == BarrierKind::Block)
        emit({.operation = SliceOperation::Barrier});
      if (needs_.needs(&instruction) && !isa<PHINode>(instruction) && !sliceInputOf(instruction))
        emitValue(instruction);
    }
    if (!needs_.decides(&block)) {
      const BasicBlock *next =
          graph_.successors(&block).size() == 1 ? graph_.successors(&block).front() : graph_.meeting(&block);
      if (next && graph_.successors(&block).size() == 1)
        emitMerges(block, *next);
      return jump(labelBehind(next));
    }
    const std::uint32_t meeting = labelBehind(graph_.meeting(&block));
    if (const auto *branch = dyn_cast<BranchInst>(block.getTerminator())) {
      emitChoice(block, registerOf(branch->getCondition()), *branch->getSuccessor(0), branch->getSuccessor(1),
                 meeting);
      return;
    }
    const auto *choice = cast<SwitchInst>(block.getTerminator());
    const unsigned width = widthOf(choice->getCondition()->getType());
    for (const auto &entry : choice->cases()) {
      if (!graph_.contains(entry.getCaseSuccessor()))
        continue;
      const std::uint32_t is = compute(SliceOperation::Equal, width, registerOf(choice->getCondition()),
                                       registerOf(entry.getCaseValue()));
      emitChoice(block, is, *entry.getCaseSuccessor(), nullptr, meeting);
    }
    if (graph_.contains(choice->getDefaultDest())) {
      emitMerges(block, *choice->getDefaultDest());
      return jump(labelBehind(choice->getDefaultDest()));
    }
    jump(exit_); // what fails is not taken
  }

  /// Goes on at `yes` where the register is not 0; else at `no`, or, where that is null, behind this. A way that fails is
  /// not taken.
  void emitChoice(const BasicBlock &block, std::uint32_t condition, const BasicBlock &yes,
                  const BasicBlock *no, std::uint32_t meeting) {
    if (no && (!graph_.contains(&yes) || !graph_.contains(no) || &yes == no)) {
      const BasicBlock &only = graph_.contains(&yes) ? yes : *no;
      emitMerges(block, only);
      return jump(labelBehind(&only));
    }
    const bool yesMerges = merges(yes), noMerges = no && merges(*no);
    const std::uint32_t whenYes = yesMerges ? label() : labelBehind(&yes),
                        whenNo = !no || noMerges ? label() : labelBehind(no);
    emit({.operation = SliceOperation::Branch, .result = meeting, .a = condition, .b = whenYes, .c = whenNo});
    if (yesMerges) {
      place(whenYes);
      emitMerges(block, yes);
      jump(labelBehind(&yes));
    }
    if (!no || noMerges)
      place(whenNo);
    if (noMerges) {
      emitMerges(block, *no);
      jump(labelBehind(no));
    }
  }

  bool merges(const BasicBlock &block) const {
    return any_of(block.phis(), [&](const PHINode &phi) { return needs_.needs(&phi); });
  }

  /// What the phis of `to` become when it is reached from `from`: all at once.
  void emitMerges(const BasicBlock &from, const BasicBlock &to) {
    SmallVector<std::pair<std::uint32_t, std::uint32_t>, 4> moves; // result, source
    for (const PHINode &phi : to.phis())
      if (needs_.needs(&phi))
        moves.push_back({registerOf(&phi), registerOf(phi.getIncomingValueForBlock(&from))});
    erase_if(moves, [](const auto &move) { return move.first == move.second; });
    for (std::size_t i = 0; i < moves.size(); ++i)
      if (any_of(ArrayRef(moves).take_front(i),
                 [&](const auto &done) { return done.first == moves[i].second; })) {
        // It would be overwritten by then.
        for (auto &[result, source] : moves)
          source = compute(SliceOperation::Move, 64, source, 0);
        break;
      }
    for (const auto &[result, source] : moves)
      emit({SliceOperation::Move, 64, result, source});
  }

  void emitAccess(const SlicedAccess &access) {
    std::uint32_t address = registerOf(access.pointer);
    if (access.offset)
      address = sum(address, constant(static_cast<std::uint64_t>(access.offset)));
    emit({.operation = SliceOperation::Access,
          .a = address,
          .b = access.site & 0xffff,
          .c = access.site >> 16});
  }

  void emitValue(const Instruction &instruction) {
    if (const auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
      return emitAddress(*gep);
    if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
      const auto roots = rootsOf(*load->getPointerOperand(), layout_);
      assert(roots && "only loads of memory with roots are determined");
      readRoots_.insert(roots->begin(), roots->end());
    }
    const SliceOperation operation = *sliceOperationOf(instruction);
    // In the order of evaluation: constants may emit sums.
    SmallVector<std::uint32_t, 3> operands;
    const auto take = [&](const auto &uses) {
      for (const Use &use : uses)
        operands.push_back(registerOf(use));
    };
    unsigned width = widthOf(instruction.getType()), other = 0;
    if (const auto *call = dyn_cast<CallBase>(&instruction)) {
      take(call->args());
      if (operation == SliceOperation::CountLeadingZeros || operation == SliceOperation::CountTrailingZeros)
        operands.pop_back(); // whether it may be 0
    } else {
      take(instruction.operands());
    }
    if (const auto *comparison = dyn_cast<CmpInst>(&instruction)) {
      width = widthOf(instruction.getOperand(0)->getType());
      if (operation == SliceOperation::CompareFloat)
        other = comparison->getPredicate();
      else if (ICmpInst::isGT(comparison->getPredicate()) || ICmpInst::isGE(comparison->getPredicate()))
        std::swap(operands[0], operands[1]);
    }
    if (operation == SliceOperation::SignExtend)
      other = widthOf(instruction.getOperand(0)->getType());
    operands.resize(3);
    emit({operation, width, registerOf(&instruction), operands[0], operands[1], operands[2], other});
  }

  void emitAddress(const GetElementPtrInst &gep) {
    std::uint64_t constantPart = 0;
    std::uint32_t address = registerOf(gep.getPointerOperand());
    const unsigned pointerWidth = widthOf(gep.getType());
    // The last sum is the address.
    SmallVector<std::uint32_t, 4> summands;
    for (auto index = gep_type_begin(gep); index != gep_type_end(gep); ++index) {
      const Value *operand = index.getOperand();
      if (StructType *structure = index.getStructTypeOrNull()) {
        constantPart +=
            layout_.getStructLayout(structure)->getElementOffset(cast<ConstantInt>(operand)->getZExtValue());
        continue;
      }
      const std::uint64_t step = index.getSequentialElementStride(layout_).getFixedValue();
      if (const auto *number = dyn_cast<ConstantInt>(operand)) {
        constantPart += static_cast<std::uint64_t>(number->getSExtValue()) * step;
        continue;
      }
      std::uint32_t elements = registerOf(operand);
      const unsigned width = widthOf(operand->getType());
      if (width < pointerWidth) {
        const std::uint32_t wide = fresh();
        emit({SliceOperation::SignExtend, pointerWidth, wide, elements, 0, 0, width});
        elements = wide;
      } else if (width > pointerWidth) {
        elements = compute(SliceOperation::Truncate, pointerWidth, elements, 0);
      }
      summands.push_back(
          step == 1 ? elements : compute(SliceOperation::Multiply, pointerWidth, elements, constant(step)));
    }
    if (constantPart || summands.empty())
      summands.push_back(constant(constantPart));
    for (const std::uint32_t summand : ArrayRef(summands).drop_back())
      address = compute(SliceOperation::Add, pointerWidth, address, summand);
    emit({SliceOperation::Add, pointerWidth, registerOf(&gep), address, summands.back()});
  }

  std::optional<Slice> finished() {
    const auto inputs = static_cast<std::uint32_t>(slice_.inputs.size()),
               constants = static_cast<std::uint32_t>(slice_.constants.size());
    slice_.registerCount = inputs + constants + written_;
    if (isTooLarge_ || slice_.registerCount > abi::kMaxSliceRegisters)
      return std::nullopt;
    const auto number = [&](std::uint32_t draft) {
      return static_cast<std::uint16_t>(draft >= kInputs      ? draft - kInputs
                                        : draft >= kConstants ? inputs + draft - kConstants
                                                              : inputs + constants + draft);
    };
    const auto target = [&](std::uint32_t label) { return static_cast<std::uint16_t>(labels_[label]); };
    for (const Draft &draft : drafts_) {
      SliceInstruction to{};
      to.operation = static_cast<std::uint8_t>(draft.operation);
      to.width = static_cast<std::uint8_t>(draft.width);
      to.other = static_cast<std::uint16_t>(draft.other);
      for (const char operand : StringRef(abi::infoOf(draft.operation).operands))
        switch (operand) {
        case 'r':
          to.result = number(draft.result);
          break;
        case 'a':
          to.a = number(draft.a);
          break;
        case 'b':
          to.b = number(draft.b);
          break;
        case 'c':
          to.c = number(draft.c);
          break;
        case 's':
          to.b = static_cast<std::uint16_t>(draft.b);
          to.c = static_cast<std::uint16_t>(draft.c);
          break;
        case 't':
          to.b = target(draft.b);
          break;
        case 'e':
          to.c = target(draft.c);
          break;
        case 'j':
          to.result = draft.result == exit_ ? abi::kSliceNowhere : target(draft.result);
          break;
        default:
          break;
        }
      slice_.code.push_back(to);
    }
    return std::move(slice_);
  }

  const Function &kernel_;
  const DataLayout &layout_;
  const BlockGraph &graph_;
  const ArrayRef<GlobalVariable *> shared_;
  const function_ref<std::uint32_t(const GlobalVariable &)> variableNumber_;
  std::map<const Instruction *, SmallVector<SlicedAccess, 1>> accesses_;
  SliceNeeds needs_;

  UnchangedMemory::Roots readRoots_; ///< of the slice's own loads

  Slice slice_;
  std::uint32_t written_ = 0;
  bool isTooLarge_ = false; ///< what has been built so far is thrown away
  std::map<std::uint64_t, std::uint32_t> constantNumbers_;
  DenseMap<const Value *, std::uint32_t> registers_;
  std::vector<Draft> drafts_;
  std::vector<std::uint32_t> labels_;
  DenseMap<const BasicBlock *, std::uint32_t> blockLabels_;
  std::uint32_t exit_ = 0, lastPlaced_ = 0;
};

} // namespace

std::optional<Slice> buildSlice(Function &kernel, const BlockGraph &graph, ArrayRef<SlicedAccess> accesses,
                                ArrayRef<GlobalVariable *> shared,
                                function_ref<std::uint32_t(const GlobalVariable &)> variableNumber) {
  return Builder(kernel, graph, accesses, shared, variableNumber).run();
}

} // namespace cupr::pass

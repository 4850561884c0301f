#include "partial_slice.h"

#include <algorithm>
#include <vector>

namespace cupr::analysis {

using abi::SliceInstruction;
using abi::SliceOperation;

namespace {

/// Of slices with more instructions and branches nothing is left out: looking would take longer than running them.
constexpr std::size_t kMostWork = std::size_t{1} << 24;

SliceOperation operationOf(const SliceInstruction &instruction) {
  return static_cast<SliceOperation>(instruction.operation);
}

bool hasOperand(const SliceInstruction &instruction, char which) {
  for (const char *operand = abi::infoOf(operationOf(instruction)).operands; *operand; ++operand)
    if (*operand == which)
      return true;
  return false;
}

/// Which instructions of a slice are needed.
class Needed {
public:
  Needed(const std::vector<SliceInstruction> &code, const std::function<bool(std::uint32_t)> &isWanted)
      : code_(code), isNeeded_(code.size(), false), branchesOver_(code.size()) {
    for (std::size_t i = 0; i < code.size(); ++i)
      if (hasOperand(code[i], 'r'))
        writersOf(code[i].result).push_back(i);
    for (std::size_t i = 0; i < code.size(); ++i)
      if (isParting(i))
        findRegion(i);
    for (std::size_t i = 0; i < code.size(); ++i) {
      const SliceOperation operation = operationOf(code[i]);
      // Where threads end, and where they part for good, says who makes what comes later.
      if (operation == SliceOperation::Exit || (operation == SliceOperation::Branch && !isParting(i)) ||
          (operation == SliceOperation::Access && isWanted(abi::siteOf(code[i]))))
        need(i);
    }
    while (!left_.empty())
      follow();
  }

  bool has(std::size_t instruction) const { return isNeeded_[instruction]; }

private:
  /// Whether it is a branch whose ways come together again.
  bool isParting(std::size_t i) const {
    return operationOf(code_[i]) == SliceOperation::Branch && code_[i].result != abi::kSliceNowhere;
  }

  std::vector<std::size_t> &writersOf(std::uint16_t number) {
    if (number >= writers_.size())
      writers_.resize(number + std::size_t{1});
    return writers_[number];
  }

  /// Notes the branch in all instructions that are between it and where its ways meet: whether they run follows from it.
  void findRegion(std::size_t branch) {
    std::vector<bool> isSeen(code_.size(), false);
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t to) {
      if (to == code_[branch].result || isSeen[to])
        return;
      isSeen[to] = true;
      open.push_back(to);
    };
    reach(code_[branch].b);
    reach(code_[branch].c);
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      branchesOver_[at].push_back(branch);
      switch (operationOf(code_[at])) {
      case SliceOperation::Exit:
        break;
      case SliceOperation::Branch:
        reach(code_[at].b);
        reach(code_[at].c);
        break;
      case SliceOperation::Jump:
        reach(code_[at].b);
        break;
      default:
        reach(at + 1); // the last instruction is none of these
        break;
      }
    }
  }

  void need(std::size_t i) {
    if (isNeeded_[i])
      return;
    isNeeded_[i] = true;
    left_.push_back(i);
  }

  void follow() {
    const std::size_t i = left_.back();
    left_.pop_back();
    for (const auto &[operand, number] :
         {std::pair('a', code_[i].a), std::pair('b', code_[i].b), std::pair('c', code_[i].c)})
      if (hasOperand(code_[i], operand))
        for (const std::size_t writer : writersOf(number))
          need(writer);
    for (const std::size_t branch : branchesOver_[i])
      need(branch);
  }

  const std::vector<SliceInstruction> &code_;
  std::vector<bool> isNeeded_;
  std::vector<std::vector<std::size_t>> writers_; ///< by register
  std::vector<std::vector<std::size_t>>
      branchesOver_;              ///< by instruction: from which it follows whether it runs
  std::vector<std::size_t> left_; ///< needed ones that have not been followed
};

} // namespace

trace::Slice partialSlice(const trace::Slice &slice, const std::function<bool(std::uint32_t)> &isWanted) {
  const std::vector<SliceInstruction> &code = slice.code;
  const auto branches = static_cast<std::size_t>(
      std::ranges::count(code, SliceOperation::Branch, [](const auto &each) { return operationOf(each); }));
  if (branches * code.size() > kMostWork)
    return slice;
  const Needed needed(code, isWanted);
  // Where ways of a branch meet something must stand, or they would go past each other.
  std::vector<bool> isMeeting(code.size(), false);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (operationOf(code[i]) == SliceOperation::Branch && needed.has(i) &&
        code[i].result != abi::kSliceNowhere)
      isMeeting[code[i].result] = true;

  trace::Slice part = slice;
  part.code.clear();
  std::vector<std::uint16_t> placeOf(code.size()); ///< of the first instruction from there on that stays
  for (std::size_t i = 0; i < code.size(); ++i) {
    placeOf[i] = static_cast<std::uint16_t>(part.code.size());
    SliceInstruction jump{};
    jump.operation = static_cast<std::uint8_t>(SliceOperation::Jump);
    if (needed.has(i) || operationOf(code[i]) == SliceOperation::Jump) {
      part.code.push_back(code[i]);
    } else if (operationOf(code[i]) == SliceOperation::Branch) {
      jump.b = code[i].result;
      part.code.push_back(jump);
    } else if (isMeeting[i]) {
      jump.b = static_cast<std::uint16_t>(i + 1);
      part.code.push_back(jump);
    }
  }
  for (SliceInstruction &instruction : part.code) {
    if (hasOperand(instruction, 't'))
      instruction.b = placeOf[instruction.b];
    if (hasOperand(instruction, 'e'))
      instruction.c = placeOf[instruction.c];
    if (hasOperand(instruction, 'j') && instruction.result != abi::kSliceNowhere)
      instruction.result = placeOf[instruction.result];
  }
  return part;
}

} // namespace cupr::analysis

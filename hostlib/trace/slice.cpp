#include "slice.h"

#include <algorithm>
#include <cstring>

namespace cupr::trace {

namespace {

/// The rule that one instruction breaks; null: none.
const char *brokenInstructionRule(const abi::SliceInstruction &instruction, const Slice &slice,
                                  std::size_t sites) {
  if (instruction.operation >= abi::kSliceOperations)
    return "an instruction of a slice is unknown";
  const auto operation = static_cast<abi::SliceOperation>(instruction.operation);
  const auto isRegister = [&](std::uint16_t number) { return number < slice.registerCount; };
  const auto isTarget = [&](std::uint16_t number) { return number < slice.code.size(); };
  const auto isWidth = [](unsigned bits) { return bits >= 1 && bits <= 64; };
  for (const char *operand = abi::infoOf(operation).operands; *operand; ++operand) {
    switch (*operand) {
    case 'r': // inputs and constants stay what they are
      if (!isRegister(instruction.result) ||
          instruction.result < slice.inputs.size() + slice.constants.size())
        return "an instruction of a slice writes what is no register of its own";
      break;
    case 'a':
    case 'b':
    case 'c':
      if (!isRegister(*operand == 'a' ? instruction.a : *operand == 'b' ? instruction.b : instruction.c))
        return "an instruction of a slice reads a register that is not there";
      break;
    case 'w':
      if (!isWidth(instruction.width))
        return "an instruction of a slice has a width that is not from 1 to 64";
      break;
    case 'v':
      if (operation == abi::SliceOperation::CompareFloat
              ? instruction.other > 15 || (instruction.width != 32 && instruction.width != 64)
              : !isWidth(instruction.other) || instruction.other > instruction.width)
        return "an instruction of a slice has a second width that can't be";
      break;
    case 's':
      if (abi::siteOf(instruction) >= sites)
        return "an instruction of a slice names a site that is not there";
      break;
    case 't':
      if (!isTarget(instruction.b))
        return "an instruction of a slice leads out of it";
      break;
    case 'e':
      if (!isTarget(instruction.c))
        return "an instruction of a slice leads out of it";
      break;
    case 'j':
      if (instruction.result != abi::kSliceNowhere && !isTarget(instruction.result))
        return "an instruction of a slice leads out of it";
      break;
    default:
      break;
    }
  }
  if (operation == abi::SliceOperation::ReverseBytes && instruction.width % 16 != 0)
    return "an instruction of a slice has a width that is not a multiple of 16";
  if (operation == abi::SliceOperation::Load && instruction.width % 8 != 0)
    return "an instruction of a slice has a width that is not a multiple of 8";
  return nullptr;
}

template <typename T> bool haveSameBytes(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

} // namespace

std::size_t Slice::launchInputs() const {
  return static_cast<std::size_t>(std::ranges::count_if(inputs, [](const abi::SliceInput &input) {
    return abi::isOfLaunch(static_cast<abi::SliceSource>(input.source));
  }));
}

bool operator==(const Slice &a, const Slice &b) {
  return a.kernel == b.kernel && a.blockSite == b.blockSite && a.registerCount == b.registerCount &&
         haveSameBytes(a.inputs, b.inputs) && a.constants == b.constants && haveSameBytes(a.code, b.code);
}

std::string brokenSliceRule(const Slice &slice, std::size_t sites) {
  if (slice.blockSite >= sites)
    return "a slice names a site that is not there";
  if (slice.registerCount > abi::kMaxSliceRegisters || slice.code.size() > abi::kMaxSliceInstructions)
    return "a slice is too large";
  if (slice.inputs.size() + slice.constants.size() > slice.registerCount)
    return "a slice has fewer registers than inputs and constants";
  for (const abi::SliceInput &input : slice.inputs)
    if (input.source >= abi::kSliceSources ||
        (input.bytes != 1 && input.bytes != 2 && input.bytes != 4 && input.bytes != 8))
      return "an input of a slice can't be";
    else if (static_cast<abi::SliceSource>(input.source) == abi::SliceSource::Shared && input.index >= sites)
      return "an input of a slice names a site that is not there";
  if (slice.code.empty())
    return "a slice has no instructions";
  for (const abi::SliceInstruction &instruction : slice.code)
    if (const char *rule = brokenInstructionRule(instruction, slice, sites))
      return rule;
  const auto last = static_cast<abi::SliceOperation>(slice.code.back().operation);
  if (last != abi::SliceOperation::Exit && last != abi::SliceOperation::Jump)
    return "a slice does not end in an exit or a jump";
  return {};
}

} // namespace cupr::trace

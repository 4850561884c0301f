#include "slice_text.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace cupr::pass {
namespace {

std::string nameOf(const abi::SliceInput &input) {
  constexpr const char *kNames[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y",
                                    "blockIdx.z",  "blockDim.x",  "blockDim.y",  "blockDim.z", "gridDim.x",
                                    "gridDim.y",   "gridDim.z",   "lane",        "warpSize"};
  if (input.source < std::size(kNames))
    return kNames[input.source];
  const auto source = static_cast<abi::SliceSource>(input.source);
  if (source == abi::SliceSource::Shared)
    return "shared@site" + std::to_string(input.index);
  std::string name =
      (source == abi::SliceSource::Variable ? "variable" : "parameter") + std::to_string(input.index);
  return input.offset ? name + "+" + std::to_string(input.offset) : name;
}

} // namespace

std::string toText(const Slice &slice) {
  const auto reg = [&](std::uint16_t number) {
    if (number < slice.inputs.size())
      return nameOf(slice.inputs[number]);
    const std::size_t constant = number - slice.inputs.size();
    if (constant < slice.constants.size())
      return std::to_string(static_cast<std::int64_t>(slice.constants[constant]));
    return "r" + std::to_string(constant - slice.constants.size());
  };
  const auto target = [](std::uint16_t number) {
    return number == abi::kSliceNowhere ? std::string("nowhere") : std::to_string(number);
  };
  std::string text;
  for (const abi::SliceInput &input : slice.inputs) {
    if (input.roles & abi::kSliceReadsThere)
      text += "looks up " + nameOf(input) + "\n";
    if (input.roles & abi::kSliceWritesThere)
      text += "must not meet " + nameOf(input) + "\n";
  }
  for (std::size_t i = 0; i < slice.code.size(); ++i) {
    const abi::SliceInstruction &instruction = slice.code[i];
    const auto [name, operands] = abi::infoOf(static_cast<abi::SliceOperation>(instruction.operation));
    text += std::to_string(i) + ": " + name;
    for (const char operand : StringRef(operands))
      switch (operand) {
      case 'r':
        text += " " + reg(instruction.result) + " <-";
        break;
      case 'a':
        text += " " + reg(instruction.a);
        break;
      case 'b':
        text += " " + reg(instruction.b);
        break;
      case 'c':
        text += " " + reg(instruction.c);
        break;
      case 'w':
        text += " i" + std::to_string(instruction.width);
        break;
      case 'v':
        text += " of " + std::to_string(instruction.other);
        break;
      case 's':
        text += " site " + std::to_string(abi::siteOf(instruction));
        break;
      case 't':
        text += " to " + target(instruction.b);
        break;
      case 'e':
        text += " else " + target(instruction.c);
        break;
      case 'j':
        text += " meet " + target(instruction.result);
        break;
      default:
        break;
      }
    text += "\n";
  }
  return text;
}

} // namespace cupr::pass

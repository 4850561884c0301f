#include "tensor_copy.h"

#include "devicelib/abi/tensor_map.h"
#include "instructions.h"

#include <algorithm>

namespace cupr::ptx {

std::optional<TensorCopy> tensorCopy(const Statement &statement) {
  const std::vector<std::string> &words = statement.operation;
  const std::vector<Operand> &operands = statement.operands;
  const auto place = [&](std::string_view begin) {
    return std::ranges::find_if(words, [&](const std::string &word) { return word.starts_with(begin); }) -
           words.begin();
  };
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const auto isKind = [&](std::size_t at, Operand::Kind kind) {
    return at < operands.size() && operands[at].kind == kind;
  };
  const bool isStore = place("global") < place("shared");
  TensorCopy copy{abi::Operation::Load, isStore ? 0u : 1u, isStore ? 1u : 0u, {}, {}};
  if (!has("tensor") || has("tile::gather4") || has("tile::scatter4") ||
      place("im2col::w") < static_cast<std::ptrdiff_t>(words.size()) || !isKind(0, Operand::Kind::Address) ||
      !isKind(1, Operand::Kind::Address) || (!isStore && !isKind(2, Operand::Kind::Address)))
    return std::nullopt;
  if (isStore)
    copy.operation = abi::Operation::Store;
  else
    copy.barrier = &operands[2];
  if (has("reduce")) {
    const auto named =
        std::ranges::find_if(words, [](const std::string &word) { return atomicNamed(word).has_value(); });
    if (named == words.end())
      return std::nullopt;
    copy.operation = *atomicNamed(*named);
  }
  const std::vector<Operand> &behindMap = operands[copy.map].elements;
  if (behindMap.empty() || behindMap.back().kind != Operand::Kind::Vector)
    return std::nullopt;
  copy.coordinates = behindMap.back().elements;
  std::size_t next = isStore ? 2 : 3;
  if (!isStore && has("im2col")) {
    if (!isKind(next, Operand::Kind::Vector))
      return std::nullopt;
    copy.offsets = operands[next++].elements;
  }
  if (has("multicast::cluster")) {
    if (next >= operands.size())
      return std::nullopt;
    copy.blocks = &operands[next];
  }
  if (copy.coordinates.empty() || copy.coordinates.size() > abi::kTensorRank)
    return std::nullopt;
  return copy;
}

} // namespace cupr::ptx

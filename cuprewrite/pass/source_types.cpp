#include "source_types.h"

#include "devicelib/abi/access_types.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cupr::pass {

SourceTypes SourceTypes::take(Module &module) {
  SourceTypes types;
  NamedMDNode *const nodes = module.getNamedMetadata(abi::kAccessTypes);
  if (!nodes)
    return types;
  for (const MDNode *node : nodes->operands()) {
    if (node->getNumOperands() != 2)
      continue;
    const auto *const function = dyn_cast_or_null<DISubprogram>(node->getOperand(0));
    const auto *const text = dyn_cast_or_null<MDString>(node->getOperand(1));
    if (function && text)
      types.texts_[function] = text->getString();
  }
  nodes->eraseFromParent();
  return types;
}

std::optional<SourceType> SourceTypes::of(const Access &access) {
  const DILocation *const at = access.instruction->getDebugLoc();
  if (!at || access.bytes == 0)
    return std::nullopt;
  const DISubprogram *const function = at->getScope()->getSubprogram();
  const auto text = texts_.find(function);
  if (text == texts_.end())
    return std::nullopt;
  const auto [places, isNew] = places_.try_emplace(function);
  if (isNew)
    places->second = parse(text->second);
  const Types types = places->second.lookup({at->getLine(), at->getColumn(), access.bytes});
  if (!access.type ||
      !access.type->isPointerTy()) // maybe a piece of a structure, which is as large as a pointer to it
    return types.other;
  // A reference is read where what it refers to is.
  const bool holdsPointer = types.other && types.other->layout.starts_with("{");
  return types.pointer || !holdsPointer ? types.pointer : types.other;
}

SourceTypes::Places SourceTypes::parse(StringRef text) {
  Places places;
  while (!text.empty()) {
    StringRef entry;
    std::tie(entry, text) = text.split('\n');
    unsigned line, column;
    std::uint64_t bytes;
    if (entry.consumeInteger(10, line) || !entry.consume_front(":") || entry.consumeInteger(10, column) ||
        !entry.consume_front(" ") || entry.consumeInteger(10, bytes) || !entry.consume_front(" "))
      continue;
    const auto [name, layout] = entry.split(abi::kAccessTypesSeparator);
    Types &types = places[{line, column, bytes}];
    (layout == abi::kPointerLayout ? types.pointer : types.other) = SourceType{name, layout};
  }
  return places;
}

} // namespace cupr::pass

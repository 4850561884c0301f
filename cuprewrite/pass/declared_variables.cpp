#include "declared_variables.h"

#include "devicelib/abi/symbols.h"
#include "devicelib/abi/unit_suffix.h"

#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// The kernel's name as clang gave it.
std::string nameOf(const Function &kernel) {
  StringRef name = kernel.getName();
  if (!name.consume_front(CUPR_TRACED_PREFIX))
    name.consume_front(CUPR_TIMED_PREFIX);
  return abi::withoutUnit(name.str());
}

/// Optimisation may have left a part of the variable, or made several of it. (Of an `extern` array the first file that was linked has
/// said the type.)
bool isWhole(const GlobalVariable &variable, const abi::Declaration &declared) {
  if (variable.isDeclaration())
    return true;
  Type *element = variable.getValueType();
  while (element->isArrayTy())
    element = element->getArrayElementType();
  return variable.getParent()->getDataLayout().getTypeAllocSize(element) == declared.bytes;
}

/// Leaves what both say.
void keepCommon(DeclaredVariable &declared, const DeclaredVariable &other) {
  if (declared.type != other.type || declared.bytes != other.bytes)
    declared.type.clear();
  if (declared.path != other.path || declared.line != other.line || declared.column != other.column) {
    declared.file.clear();
    declared.path.clear();
    declared.line = declared.column = 0;
  }
}

} // namespace

DeclaredVariables DeclaredVariables::take(Module &module, const ColumnMap &columns) {
  DeclaredVariables all;
  NamedMDNode *const nodes = module.getNamedMetadata(abi::kDeclaredVariables);
  if (!nodes)
    return all;
  for (const MDNode *node : nodes->operands()) {
    if (node->getNumOperands() != 4)
      continue;
    const auto *const unit = dyn_cast_or_null<DICompileUnit>(node->getOperand(0));
    const auto *const name = dyn_cast_or_null<MDString>(node->getOperand(1)),
                      *const function = dyn_cast_or_null<MDString>(node->getOperand(2)),
                      *const text = dyn_cast_or_null<MDString>(node->getOperand(3));
    Entry entry{unit, function ? function->getString() : StringRef(), {}};
    DeclaredVariable &declared = entry.declared;
    if (!name || !text || !abi::readDeclaration(text->getString().str(), declared))
      continue;
    if (declared.line != 0) {
      declared.path = absolutePath(unit ? unit->getDirectory() : StringRef(), declared.file);
      declared.column = columns.original(declared.path, declared.line, declared.column);
    }
    all.variables_[name->getString()].push_back(std::move(entry));
  }
  nodes->eraseFromParent();
  return all;
}

std::optional<DeclaredVariable> DeclaredVariables::of(const GlobalVariable &variable,
                                                      const Function *kernel) const {
  auto known = variables_.find(variable.getName());
  if (known == variables_.end()) // a part of it, or one of several by its name
    known = variables_.find(variable.getName().split('.').first);
  if (known == variables_.end())
    return std::nullopt;
  const DISubprogram *const described = kernel ? kernel->getSubprogram() : nullptr;
  const std::string name = kernel ? nameOf(*kernel) : std::string();
  std::optional<DeclaredVariable> found;
  int best = 0;
  for (const Entry &entry : known->second) {
    const int rank =
        2 * (described && entry.unit == described->getUnit()) + (kernel && entry.function == name);
    if (!found || rank > best)
      found = entry.declared;
    else if (rank == best)
      keepCommon(*found, entry.declared);
    best = std::max(best, rank);
  }
  if (!isWhole(variable, *found))
    found->type.clear();
  return found;
}

std::string DeclaredVariables::tableOf(const Module &module) const {
  std::string table;
  for (const GlobalVariable &variable : module.globals()) {
    const unsigned space = variable.getAddressSpace();
    if (variable.isDeclaration() || variable.hasLocalLinkage() ||
        (space != NVPTXAS::ADDRESS_SPACE_GLOBAL && space != NVPTXAS::ADDRESS_SPACE_CONST))
      continue;
    if (const auto declared = of(variable, nullptr))
      table += variable.getName().str() + abi::kDeclarationSeparator +
               (space == NVPTXAS::ADDRESS_SPACE_CONST ? abi::kOfConstantMemory : abi::kOfDevice) +
               abi::kDeclarationSeparator + abi::declarationText(*declared) + "\n";
  }
  return table;
}

} // namespace cupr::pass

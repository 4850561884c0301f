#include "column_map.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// The edit lists, with their texts.
SmallVector<std::pair<GlobalVariable *, StringRef>, 4> editLists(Module &module) {
  SmallVector<std::pair<GlobalVariable *, StringRef>, 4> lists;
  for (GlobalVariable &variable : module.globals())
    if (variable.getName().contains("cupr_edits_") && variable.hasInitializer())
      if (const auto *text = dyn_cast<ConstantDataArray>(variable.getInitializer()); text && text->isString())
        lists.push_back({&variable, text->getAsString().rtrim('\0')});
  return lists;
}

/// Where the (first) translation unit was compiled.
StringRef compilationFolder(const Module &module) {
  const auto units = module.debug_compile_units();
  return units.begin() == units.end() ? StringRef() : (*units.begin())->getDirectory();
}

} // namespace

std::string absolutePath(StringRef folder, StringRef name) {
  SmallString<128> path(name);
  if (!sys::path::is_absolute(name) && !folder.empty()) {
    path = folder;
    sys::path::append(path, name);
  }
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

ColumnMap ColumnMap::take(Module &module) {
  ColumnMap map;
  const StringRef folder = compilationFolder(module);
  SmallVector<GlobalVariable *, 4> lists;
  for (const auto &[variable, text] : editLists(module)) {
    map.parse(text, folder);
    lists.push_back(variable);
  }
  removeFromUsedLists(module, [&](Constant *constant) {
    return is_contained(lists, dyn_cast<GlobalVariable>(constant->stripPointerCasts()));
  });
  for (GlobalVariable *list : lists) {
    list->removeDeadConstantUsers();
    if (list->use_empty())
      list->eraseFromParent();
  }
  return map;
}

void ColumnMap::qualify(Module &module) {
  const StringRef folder = compilationFolder(module);
  for (const auto &[variable, text] : editLists(module)) {
    const auto [path, list] = text.split('\n');
    Constant *qualified =
        ConstantDataArray::getString(module.getContext(), absolutePath(folder, path) + "\n" + list.str());
    auto *copy =
        new GlobalVariable(module, qualified->getType(), /*isConstant=*/true, variable->getLinkage(),
                           qualified, "", variable, GlobalValue::NotThreadLocal, variable->getAddressSpace());
    copy->takeName(variable);
    variable->replaceAllUsesWith(copy);
    variable->eraseFromParent();
  }
}

void ColumnMap::parse(StringRef text, StringRef folder) {
  const auto [path, list] = text.split('\n');
  auto &lines = files_[absolutePath(folder, path)];
  lines.clear(); // a header included twice brings its list twice
  SmallVector<StringRef, 16> entries;
  SplitString(list, entries);
  for (StringRef entry : entries) {
    unsigned line, column, length;
    if (entry.consumeInteger(10, line) || !entry.consume_front(":") || entry.consumeInteger(10, column) ||
        !entry.consume_front("+") || entry.consumeInteger(10, length))
      continue;
    // By column; of one column in the order of the list.
    auto &insertions = lines[line];
    const auto place =
        upper_bound(insertions, column, [](unsigned at, const Insertion &each) { return at < each.column; });
    insertions.insert(place, {column, length});
  }
}

unsigned ColumnMap::original(StringRef path, unsigned line, unsigned column) const {
  const auto file = files_.find(path);
  if (file == files_.end())
    return column;
  const auto insertions = file->second.find(line);
  if (insertions == file->second.end())
    return column;
  unsigned shift = 0;
  for (const auto &[at, length] : insertions->second) {
    if (column < at + shift)
      break;
    if (column < at + shift + length)
      return at; // inside inserted text: the place where it was inserted
    shift += length;
  }
  return column - shift;
}

} // namespace cupr::pass

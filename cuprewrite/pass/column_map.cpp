#include "column_map.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace cupr::pass {

ColumnMap ColumnMap::take(Module &module) {
  ColumnMap map;
  SmallVector<GlobalVariable *, 4> lists;
  for (GlobalVariable &variable : module.globals())
    if (variable.getName().contains("cupr_edits_") && variable.hasInitializer())
      if (const auto *text = dyn_cast<ConstantDataArray>(variable.getInitializer());
          text && text->isString()) {
        map.parse(text->getAsString().rtrim('\0'));
        lists.push_back(&variable);
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

void ColumnMap::parse(StringRef text) {
  const auto [path, list] = text.split('\n');
  auto &lines = files_[path];
  lines.clear(); // a header included twice brings its list twice
  SmallVector<StringRef, 16> entries;
  SplitString(list, entries);
  for (StringRef entry : entries) {
    unsigned line, column, length;
    if (entry.consumeInteger(10, line) || !entry.consume_front(":") || entry.consumeInteger(10, column) ||
        !entry.consume_front("+") || entry.consumeInteger(10, length))
      continue;
    lines[line].push_back({column, length});
  }
  for (auto &[line, insertions] : lines)
    stable_sort(insertions, [](const Insertion &a, const Insertion &b) { return a.column < b.column; });
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

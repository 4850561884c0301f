/// Columns of an augmented copy, turned back into columns of the user's file.
///
/// The rewriter only inserts, and never a line break, so lines are right as they are.
/// It leaves the list of its insertions in each copy, as a device variable
/// `cupr_edits_*` that holds `path\nline:column+length ...` (places of the original). The pass
/// reads these variables and removes them. A relative path counts from the folder in which the file was
/// compiled. Files that are linked on the device were compiled in different ones: there the list names the
/// whole path (`qualify`).
#ifndef CUPR_PASS_COLUMN_MAP_H
#define CUPR_PASS_COLUMN_MAP_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

#include <map>
#include <string>
#include <vector>

namespace cupr::pass {

class ColumnMap {
public:
  /// Takes the edit lists out of the module.
  static ColumnMap take(llvm::Module &module);

  /// Makes the paths in the edit lists of one translation unit absolute.
  static void qualify(llvm::Module &module);

  /// The column in the user's file; `column` itself where nothing is known. `path`: absolute.
  unsigned original(llvm::StringRef path, unsigned line, unsigned column) const;

private:
  struct Insertion {
    unsigned column, length;
  };
  void parse(llvm::StringRef text, llvm::StringRef folder);
  llvm::StringMap<std::map<unsigned, std::vector<Insertion>>> files_;
};

/// The path of a file that was compiled in `folder`, without `.` and `..`.
std::string absolutePath(llvm::StringRef folder, llvm::StringRef name);

} // namespace cupr::pass

#endif

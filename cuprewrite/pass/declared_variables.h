/// What the program says of the device's variables that LLVM's IR doesn't have: the C++ type of their elements, and where they are
/// declared. Clang wrote it into the module before it was optimised (devicelib/abi/declared_variables.h).
///
/// Files that are linked on the device may have an `extern __shared__` array each by one name, which is one variable then, and so may
/// functions of one file, and instances of a template. A kernel's own counts most, then those of its file. What is left counts as far as it
/// agrees.
#ifndef CUPR_PASS_DECLARED_VARIABLES_H
#define CUPR_PASS_DECLARED_VARIABLES_H

#include "column_map.h"

#include "devicelib/abi/declared_variables.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <optional>
#include <string>

namespace cupr::pass {

struct DeclaredVariable : abi::Declaration { ///< `file` as the compiler was given it
  std::string path;                          ///< the whole path of the file; empty: unknown
};

class DeclaredVariables {
public:
  /// Takes the declarations out of the module. Columns are turned into the user's own.
  static DeclaredVariables take(llvm::Module &module, const ColumnMap &columns);

  /// `kernel`: that the variable is asked for; null: it is one of the module. None: nothing is known.
  std::optional<DeclaredVariable> of(const llvm::GlobalVariable &variable,
                                     const llvm::Function *kernel) const;

  /// What the host is told of the module's variables that can be found by name.
  std::string tableOf(const llvm::Module &module) const;

private:
  struct Entry {
    const llvm::DICompileUnit *unit; ///< may be null
    llvm::StringRef function;
    DeclaredVariable declared;
  };
  llvm::StringMap<llvm::SmallVector<Entry, 1>> variables_; ///< by name
};

} // namespace cupr::pass

#endif

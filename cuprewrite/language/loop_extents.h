/// The loops of a function, as extents in the source (devicelib/abi/source_loops.h), and how a module tells of them.
///
/// Debug information gives what a macro expands to the place where the macro is used, and an argument of a macro its own. So
/// an extent reaches from the first token's such place to the last one's, and a loop that is in a macro as a whole is as large as its use.
#ifndef CUPR_LANGUAGE_LOOP_EXTENTS_H
#define CUPR_LANGUAGE_LOOP_EXTENTS_H

#include "devicelib/abi/source_loops.h"

#include "clang/AST/Decl.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace cupr::language {

class LoopExtents {
public:
  explicit LoopExtents(const clang::SourceManager &sources) : sources_(sources) {}

  void add(const clang::ForStmt &loop);
  void add(const clang::WhileStmt &loop);
  void add(const clang::DoStmt &loop);
  void add(const clang::CXXForRangeStmt &loop);
  /// Of a function within another one, as a lambda's: what bounds the loops around it.
  void addNested(const clang::FunctionDecl &function);

  struct Extent {
    abi::SourceLoop loop;
    std::string file; ///< as the compiler was given it
  };
  std::vector<Extent> take() { return std::move(extents_); }

private:
  void add(abi::LoopKind kind, clang::SourceRange range);
  /// What is done once, before the loop, unless it has a place of what is done each time.
  void addEntry(const clang::Stmt *entry, std::initializer_list<const clang::Stmt *> others);
  clang::SourceLocation beginOf(clang::SourceLocation location) const;
  clang::SourceLocation endOf(clang::SourceLocation location) const;

  const clang::SourceManager &sources_;
  std::vector<Extent> extents_;
};

/// By the name in the module of each function that may be in the module.
using FunctionLoops = llvm::StringMap<std::vector<LoopExtents::Extent>>;

/// Writes the loops of the functions that are in the module into it: as metadata of the device, in a section of the host.
void tellLoops(llvm::Module &module, const FunctionLoops &loops, bool isOfDevice);

} // namespace cupr::language

#endif

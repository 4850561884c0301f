/// The calls that allocate memory, in the source: what of them an allocation in the trace can be told by.
#ifndef CUPR_REWRITE_ALLOCATIONS_H
#define CUPR_REWRITE_ALLOCATIONS_H

#include "tokens.h"
#include "userfiles.h"

#include <set>

namespace clang {
class ASTContext;
class CallExpr;
class Stmt;
} // namespace clang

namespace cupr::rewrite {

/// Whether CUDA's function of this name allocates memory, or makes it known to devices.
bool isAllocationFunction(std::string_view name);

class AllocationCalls {
public:
  /// `quoted`: where macros are used that make a text of an argument; offsets of SourceLocations.
  AllocationCalls(const clang::ASTContext &context, const TokenStream &tokens, UserFiles &files,
                  const std::set<std::uint32_t> &quoted)
      : context_(context), tokens_(tokens), files_(files), quoted_(quoted) {}

  /// What is said of a call of an allocation function. `above`: the statements around it, down to itself. None: no
  /// text can be put there that changes nothing else.
  std::optional<Allocation> find(const clang::CallExpr &call, llvm::ArrayRef<const clang::Stmt *> above,
                                 std::string_view function);

private:
  bool isWritten(clang::SourceLocation location) const;
  bool isQuoted(clang::SourceLocation location) const;
  bool markArgument(const clang::CallExpr &call, Allocation &out);
  bool markStatement(llvm::ArrayRef<const clang::Stmt *> above, Allocation &out);
  void describe(const clang::CallExpr &call, std::string_view function, Allocation &out) const;

  const clang::ASTContext &context_;
  const TokenStream &tokens_;
  UserFiles &files_;
  const std::set<std::uint32_t> &quoted_;
};

} // namespace cupr::rewrite

#endif

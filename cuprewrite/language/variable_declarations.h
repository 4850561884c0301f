/// Variables of the device as the program declares them, by their names in the module: what LLVM's IR does not have
/// (devicelib/abi/declared_variables.h).
#ifndef CUPR_LANGUAGE_VARIABLE_DECLARATIONS_H
#define CUPR_LANGUAGE_VARIABLE_DECLARATIONS_H

#include "devicelib/abi/declared_variables.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Mangle.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace cupr::language {

struct VariableDeclaration {
  std::string function; ///< mangled: that declares it, of an `extern` variable; else empty
  abi::Declaration declared;
};

/// Several where functions, or instances of a template, declare one `extern` variable each.
using VariableDeclarations = llvm::StringMap<std::vector<VariableDeclaration>>;

/// Adds the variable if it is one of the device: shared, `__device__`, `__constant__` or `__managed__`. Its definition counts, where it
/// has one, else what declares it first.
void addDeclaration(const clang::VarDecl &variable, clang::ASTContext &context, clang::MangleContext &mangler,
                    VariableDeclarations &to);

} // namespace cupr::language

#endif

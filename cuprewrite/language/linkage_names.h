/// The names that functions and variables have in the module.
#ifndef CUPR_LANGUAGE_LINKAGE_NAMES_H
#define CUPR_LANGUAGE_LINKAGE_NAMES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Mangle.h"

#include <string>
#include <vector>

namespace cupr::language {

/// Constructors and destructors have several. A kernel's is that of the device's side.
std::vector<std::string> linkageNames(const clang::FunctionDecl &function, clang::MangleContext &mangler);
/// Without the mark of the translation unit (devicelib/abi/unit_suffix.h).
std::string linkageName(const clang::VarDecl &variable, clang::MangleContext &mangler);

} // namespace cupr::language

#endif

/// Which functions the rewriter changes, judged by their declarations alone, so
/// that files rewritten one by one agree.
#ifndef CUPR_REWRITE_FUNCTIONS_H
#define CUPR_REWRITE_FUNCTIONS_H

#include "facts.h"

namespace clang {
class FunctionDecl;
} // namespace clang

namespace cupr::rewrite {

/// The first declaration of what `function` was instantiated from or
/// specialises: the one that decides for all of them.
const clang::FunctionDecl *decidingDeclaration(const clang::FunctionDecl *function);

/// Equal for the same function in all translation units.
std::string functionKey(const clang::FunctionDecl *deciding);

FunctionKind functionKind(const clang::FunctionDecl *deciding);

/// Why the signature stays, or empty.
std::string keepReason(const clang::FunctionDecl *deciding);

/// Whether the trace argument fits in front of the kernel's parameters; true where their types are not known yet.
bool hasRoomForTrace(const clang::FunctionDecl *kernel);

/// True when another translation unit may mean the same object code by a
/// declaration of its own.
bool isShared(const clang::FunctionDecl *deciding);

} // namespace cupr::rewrite

#endif

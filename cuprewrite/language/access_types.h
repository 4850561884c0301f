/// The types of what a function accesses, by the places that its accesses have in debug information.
///
/// Clang gives an access the place of an expression: a load that of the lvalue that is read (the brackets' base, the name
/// behind a dot, the star), a store that of the assignment's operator, a copy of a class that of the constructor or
/// operator, an atomic operation that of the call of the built-in function. So the expressions are asked for their types. A
/// function of a header is one of its own: what was inlined keeps the places that it has there.
///
/// Optimisation splits copies of classes. Where all that a class consists of has one type, the parts have it; else nothing is
/// known of them. The function's own variables are in registers. Elements and members of such may not be: they count where
/// nothing else stands at their place.
#ifndef CUPR_LANGUAGE_ACCESS_TYPES_H
#define CUPR_LANGUAGE_ACCESS_TYPES_H

#include "loop_extents.h"
#include "tree_growth.h"
#include "type_layout.h"
#include "variable_declarations.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace cupr::language {

/// By the name in the module of each device function that may be in the module: the text of devicelib/abi/access_types.h.
using AccessTypes = llvm::StringMap<std::string>;

/// To be called when the module is complete: `defined` are the names of its functions (devicelib/abi/unit_suffix.h), `growth` has
/// listened since the parse began. On the way it adds the variables that are declared to `variables`, and the loops of functions of
/// host and device to `loops`.
AccessTypes accessTypesOf(clang::ASTContext &context, const TreeGrowth &growth,
                          const llvm::StringSet<> &defined, VariableDeclarations &variables,
                          FunctionLoops &loops);

} // namespace cupr::language

#endif

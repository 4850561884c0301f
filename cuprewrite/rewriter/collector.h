/// From clang's syntax tree to facts: one parse of one translation unit.
///
/// Templates are read twice: the pattern gives the places, the instantiations
/// tell which functions its dependent calls mean. Both have the same locations
/// in the source, so what they say meets at the same spots.
#ifndef CUPR_REWRITE_COLLECTOR_H
#define CUPR_REWRITE_COLLECTOR_H

#include "facts.h"

#include <memory>

namespace clang {
class FrontendAction;
} // namespace clang

namespace cupr::rewrite {

/// An action that parses a file and adds what it finds to `facts`, which must
/// live as long. `root`: absolute, without links; files below it are user files.
std::unique_ptr<clang::FrontendAction> makeCollectAction(std::string root, Facts &facts);

} // namespace cupr::rewrite

#endif

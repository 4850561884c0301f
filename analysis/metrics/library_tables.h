/// Tables of CUDA's mathematical library: the sine of a double looks up its coefficients in one. Their loads are inlined into the user's
/// kernel and have the line of the call, but the source has no expression that could be changed, and what is looked up is the library's
/// matter.
///
/// A trace names no variables of global memory. But these tables are in the code, so they lie in no allocation, and in no variable that a
/// program declares; and the library's bitcode has no types, while accesses that clang compiles have one.
#ifndef CUPR_ANALYSIS_LIBRARY_TABLES_H
#define CUPR_ANALYSIS_LIBRARY_TABLES_H

#include "analysis/engine/ranges.h"
#include "source_accesses.h"

#include <vector>

namespace cupr::analysis {

class LibraryTables {
public:
  explicit LibraryTables(const Model &model);
  /// Whether the access does nothing but load from them. Of a trace that knows of no allocation at all, nothing can be told.
  bool areAllOf(const SourceAccess &access) const;

private:
  bool isAllocated(std::uint64_t address) const;

  std::vector<Range> allocated_; ///< at any time; ascending, disjoint
};

} // namespace cupr::analysis

#endif

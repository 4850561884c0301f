/// The types that the program has for what it accesses, of which LLVM's IR knows nothing: whether a number is unsigned, what a
/// structure consists of. Clang wrote them into the module, by place, before it was optimised (devicelib/abi/access_types.h).
///
/// An access that optimisation has made of several, or of a part of one, has no type: there is none of its size at its place.
#ifndef CUPR_PASS_SOURCE_TYPES_H
#define CUPR_PASS_SOURCE_TYPES_H

#include "access.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace cupr::pass {

/// Valid as long as the module's context.
struct SourceType {
  llvm::StringRef name, layout;
};

class SourceTypes {
public:
  /// Takes the types out of the module.
  static SourceTypes take(llvm::Module &module);

  /// None: it is not known.
  std::optional<SourceType> of(const Access &access);

private:
  /// Of one size, at one place.
  struct Types {
    std::optional<SourceType> pointer, other;
  };
  using Places =
      llvm::DenseMap<std::tuple<unsigned, unsigned, std::uint64_t>, Types>; ///< line, column, bytes
  static Places parse(llvm::StringRef text);

  llvm::DenseMap<const llvm::DISubprogram *, llvm::StringRef> texts_;
  llvm::DenseMap<const llvm::DISubprogram *, Places> places_; ///< of the functions that have been asked for
};

} // namespace cupr::pass

#endif

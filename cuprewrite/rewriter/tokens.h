/// The tokens of user files as the parser saw them, after macro expansion: how
/// the collector finds the parenthesis behind a name, wherever it was written.
///
/// Invariant: tokens are in the parser's order; each keeps the location that
/// the syntax tree uses for it, so a location of the tree leads to its token.
#ifndef CUPR_REWRITE_TOKENS_H
#define CUPR_REWRITE_TOKENS_H

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/TokenKinds.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <optional>
#include <vector>

namespace clang {
class Preprocessor;
class SourceManager;
} // namespace clang

namespace cupr::rewrite {

class TokenStream {
public:
  struct Entry {
    clang::SourceLocation location;
    clang::tok::TokenKind kind;
    std::uint32_t length;
  };

  /// Starts to listen to `preprocessor`. `isUserFile` is asked once per file.
  void attach(clang::Preprocessor &preprocessor, std::function<bool(clang::FileID)> isUserFile);

  /// Index of the token at `location`. A token that the parser split (`>>`) is
  /// found by either half.
  std::optional<std::size_t> find(clang::SourceLocation location) const;
  std::size_t size() const { return tokens_.size(); }
  const Entry &operator[](std::size_t index) const { return tokens_[index]; }

private:
  class Listener;

  std::vector<Entry> tokens_;
  const clang::SourceManager *sources_ = nullptr;
  bool listening_ = false;
  mutable llvm::DenseMap<clang::SourceLocation, std::size_t> index_;
  mutable std::size_t indexed_ = 0;
};

} // namespace cupr::rewrite

#endif

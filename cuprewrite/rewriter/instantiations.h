/// What can only be read from the tokens: the lists behind names, and explicit
/// instantiations, which the syntax tree keeps no written form of.
#ifndef CUPR_REWRITE_INSTANTIATIONS_H
#define CUPR_REWRITE_INSTANTIATIONS_H

#include "tokens.h"
#include "userfiles.h"

namespace clang {
class ASTContext;
class SourceManager;
} // namespace clang

namespace cupr::rewrite {

/// The list behind an opening parenthesis, as written.
struct TokenList {
  std::optional<Spot> spot; ///< none: written outside user files
  ListForm form = ListForm::Empty;
  std::uint32_t voidBytes = 0;
};

class TokenLists {
public:
  TokenLists(const clang::ASTContext &context, const TokenStream &tokens, UserFiles &files)
      : context_(context), tokens_(tokens), files_(files) {}

  /// The list whose parenthesis stands at `location`; none: there is none.
  std::optional<TokenList> at(clang::SourceLocation location);
  /// The list whose parenthesis follows the token at `location`.
  std::optional<TokenList> behind(clang::SourceLocation location);
  /// The list whose parenthesis is the token with this index.
  TokenList at(std::size_t parenthesis);

  const TokenStream &tokens() const { return tokens_; }
  UserFiles &files() { return files_; }
  std::string text(std::size_t token) const;

private:
  std::optional<ListForm> variadicForm(clang::SourceLocation parenthesis) const;

  const clang::ASTContext &context_;
  const TokenStream &tokens_;
  UserFiles &files_;
};

/// The explicit instantiations of `templates` (keys by name).
std::vector<Instantiation> findInstantiations(TokenLists &lists,
                                              const std::map<std::string, std::set<std::string>> &templates);

/// Sets File::nested for files whose first token stands inside braces or
/// parentheses other than a namespace's.
void markNestedFiles(const TokenLists &lists, const clang::SourceManager &sources, UserFiles &files,
                     Facts &facts);

} // namespace cupr::rewrite

#endif

#include "instantiations.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace cupr::rewrite {

using namespace clang;

std::optional<TokenList> TokenLists::at(SourceLocation location) {
  const std::optional<std::size_t> token = tokens_.find(location);
  if (!token || tokens_[*token].kind != tok::l_paren)
    return std::nullopt;
  return at(*token);
}

std::optional<TokenList> TokenLists::behind(SourceLocation location) {
  const std::optional<std::size_t> token = tokens_.find(location);
  if (!token || *token + 1 >= tokens_.size() || tokens_[*token + 1].kind != tok::l_paren)
    return std::nullopt;
  return at(*token + 1);
}

TokenList TokenLists::at(std::size_t parenthesis) {
  TokenList list;
  const TokenStream::Entry &open = tokens_[parenthesis];
  list.spot = files_.spot(open.location, open.length);
  if (parenthesis + 2 >= tokens_.size())
    return list;
  const TokenStream::Entry &first = tokens_[parenthesis + 1];
  if (const std::optional<ListForm> variadic = variadicForm(open.location)) {
    list.form = *variadic;
  } else if (first.kind == tok::r_paren) {
    const char *const behind =
        context_.getSourceManager().getCharacterData(context_.getSourceManager()
                                                         .getSpellingLoc(open.location)
                                                         .getLocWithOffset(static_cast<int>(open.length)));
    list.form = isAsciiIdentifierContinue(*behind) ? ListForm::Emptied : ListForm::Empty;
  } else if (first.kind == tok::kw_void && tokens_[parenthesis + 2].kind == tok::r_paren) {
    // Comments may stand around it, so the text goes directly in front.
    const std::optional<Spot> word = files_.spot(first.location, 0);
    if (list.spot && word && word->file == list.spot->file && word->offset >= list.spot->offset &&
        first.location.isMacroID() == open.location.isMacroID()) {
      list.form = ListForm::Void;
      list.spot = word;
      list.voidBytes = first.length;
    } else {
      list.spot = std::nullopt;
    }
  } else {
    list.form = ListForm::Filled;
  }
  return list;
}

std::string TokenLists::text(std::size_t token) const {
  const SourceManager &sources = context_.getSourceManager();
  return std::string(sources.getCharacterData(sources.getSpellingLoc(tokens_[token].location)),
                     tokens_[token].length);
}

/// The name of the variadic parameter of the macro in whose body `offset` lies, from the
/// text: `__VA_ARGS__`, or `args` in `#define M(a, args...)`; empty: there is none.
static StringRef variadicParameter(StringRef text, std::size_t offset) {
  std::size_t line = text.rfind('\n', offset);
  const auto continues = [&](std::size_t newline) {
    const StringRef before = text.take_front(newline).rtrim('\r');
    return before.ends_with("\\");
  };
  while (line != StringRef::npos && line > 0 && continues(line))
    line = text.rfind('\n', line - 1);
  StringRef directive = text.slice(line == StringRef::npos ? 0 : line + 1, offset).ltrim();
  if (!directive.consume_front("#") || !(directive = directive.ltrim()).consume_front("define"))
    return {};
  const auto [head, tail] = directive.split('(');
  const StringRef parameters = tail.take_until([](char c) { return c == ')'; }).rtrim();
  if (!parameters.ends_with("..."))
    return {};
  const StringRef last = parameters.drop_back(3).rtrim();
  const std::size_t comma = last.find_last_of(", \t\\\r\n");
  const StringRef name = last.substr(comma == StringRef::npos ? 0 : comma + 1);
  return name.empty() ? StringRef("__VA_ARGS__") : name;
}

/// What a macro's body says behind this parenthesis: its variadic parameter?
std::optional<ListForm> TokenLists::variadicForm(SourceLocation parenthesis) const {
  const SourceManager &sources = context_.getSourceManager();
  // A macro may stand in the argument of another, `CHECK(LAUNCH(k))`: the body is that of the inner one.
  while (sources.isMacroArgExpansion(parenthesis))
    parenthesis = sources.getImmediateSpellingLoc(parenthesis);
  if (!parenthesis.isMacroID())
    return std::nullopt;
  Token next;
  const SourceLocation spelling = sources.getSpellingLoc(parenthesis);
  if (Lexer::getRawToken(spelling.getLocWithOffset(1), next, sources, context_.getLangOpts(),
                         /*IgnoreWhiteSpace=*/true) ||
      !next.is(tok::raw_identifier))
    return std::nullopt;
  const auto [file, offset] = sources.getDecomposedLoc(spelling);
  if (next.getRawIdentifier() != variadicParameter(sources.getBufferData(file), offset))
    return std::nullopt;
  return next.getRawIdentifier() == "__VA_ARGS__" ? ListForm::Variadic : ListForm::Named;
}

/// Index of the token behind a template argument list that starts at `i`.
static std::size_t skipAngles(const TokenStream &tokens, std::size_t i) {
  int depth = 0, parentheses = 0; // `k<(2 > 1)>`
  for (; i < tokens.size(); ++i) {
    switch (tokens[i].kind) {
    case tok::l_paren:
      ++parentheses;
      break;
    case tok::r_paren:
      --parentheses;
      break;
    case tok::less:
      depth += parentheses == 0;
      break;
    case tok::greater:
      depth -= parentheses == 0;
      break;
    case tok::greatergreater:
      depth -= parentheses == 0 ? 2 : 0;
      break;
    case tok::semi:
      return i;
    default:
      break;
    }
    if (depth <= 0)
      return i + 1;
  }
  return i;
}

void markNestedFiles(const TokenLists &lists, const SourceManager &sources, UserFiles &files, Facts &facts) {
  const TokenStream &tokens = lists.tokens();
  std::vector<bool> opaque; // of each open brace: no namespace, no `extern "C"`
  int closed = 0;           // open parentheses and opaque braces
  bool isNamespace = false;
  FileID current;
  llvm::DenseMap<FileID, bool> seen;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const FileID file = sources.getFileID(sources.getExpansionLoc(tokens[i].location));
    if (file != current) {
      current = file;
      if (seen.try_emplace(file, true).second && closed > 0)
        if (const std::optional<FileId> id = files.find(file))
          facts.file(*id).nested = true;
    }
    switch (tokens[i].kind) {
    case tok::kw_namespace:
      isNamespace = true;
      break;
    case tok::string_literal:
      isNamespace |= i > 0 && tokens[i - 1].kind == tok::kw_extern;
      break;
    case tok::semi:
      isNamespace = false;
      break;
    case tok::l_brace:
      opaque.push_back(!isNamespace);
      closed += !isNamespace;
      isNamespace = false;
      break;
    case tok::r_brace:
      if (!opaque.empty()) {
        closed -= opaque.back();
        opaque.pop_back();
      }
      break;
    case tok::l_paren:
      isNamespace = false; // `extern "C" void f(`
      ++closed;
      break;
    case tok::r_paren:
      --closed;
      break;
    default:
      break;
    }
  }
}

/// The kind that `__device__` and its like say, which are attributes to the parser.
static std::optional<FunctionKind> writtenKind(const std::set<std::string> &attributes) {
  if (attributes.contains("global"))
    return FunctionKind::Kernel;
  if (attributes.contains("device"))
    return attributes.contains("host") ? FunctionKind::HostDevice : FunctionKind::Device;
  return std::nullopt;
}

std::vector<Instantiation> findInstantiations(TokenLists &lists,
                                              const std::map<std::string, std::set<std::string>> &templates) {
  std::vector<Instantiation> found;
  const TokenStream &tokens = lists.tokens();
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != tok::kw_template || tokens[i + 1].kind == tok::less)
      continue;
    if (i > 0 && (tokens[i - 1].kind == tok::coloncolon || tokens[i - 1].kind == tok::period ||
                  tokens[i - 1].kind == tok::arrow))
      continue; // `x.template f<...>()`
    int depth = 0;
    std::optional<Instantiation> last;
    std::set<std::string> attributes;
    for (++i; i < tokens.size() && tokens[i].kind != tok::semi && tokens[i].kind != tok::l_brace; ++i) {
      if (tokens[i].kind == tok::l_paren)
        ++depth;
      else if (tokens[i].kind == tok::r_paren)
        --depth;
      if (depth == 2 && tokens[i].kind == tok::identifier && tokens[i - 3].kind == tok::kw___attribute)
        attributes.insert(lists.text(i));
      if (depth != 0 || tokens[i].kind != tok::identifier)
        continue;
      const auto it = templates.find(lists.text(i));
      if (it == templates.end())
        continue;
      std::size_t next = i + 1;
      if (next < tokens.size() && tokens[next].kind == tok::less)
        next = skipAngles(tokens, next);
      if (next >= tokens.size() || tokens[next].kind != tok::l_paren)
        continue;
      const TokenList list = lists.at(next);
      last = Instantiation{};
      last->functions = it->second;
      if (tokens[i - 1].kind == tok::coloncolon && tokens[i - 2].kind == tok::identifier)
        last->scope = lists.text(i - 2);
      last->spot = list.spot;
      last->form = list.form;
      last->voidBytes = list.voidBytes;
      last->place = lists.files().place(tokens[i].location);
    }
    if (!last)
      continue;
    last->kind = writtenKind(attributes);
    found.push_back(std::move(*last));
  }
  return found;
}

} // namespace cupr::rewrite

#include "spaced_brackets.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <vector>

namespace cupr::rewrite {

using namespace clang;
namespace vfs = llvm::vfs;

namespace {

/// Whether two brackets, blanks and a third follow each other somewhere: hardly ever, so that few files are
/// lexed.
bool maybeSpaced(std::string_view text) {
  for (const std::string_view two : {"<< ", ">> ", "<<\t", ">>\t"})
    for (std::size_t at = text.find(two); at != std::string_view::npos; at = text.find(two, at + 1)) {
      const std::size_t next = text.find_first_not_of(" \t", at + 2);
      if (next != std::string_view::npos && text[next] == two[0])
        return true;
    }
  return false;
}

struct Piece {
  tok::TokenKind kind;
  std::size_t offset, length;
  std::size_t end() const { return offset + length; }
};

std::vector<Piece> tokensOf(const std::string &text) {
  LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.RawStringLiterals = true;
  Lexer lexer(SourceLocation(), options, text.data(), text.data(), text.data() + text.size());
  std::vector<Piece> pieces;
  for (Token token;;) {
    lexer.LexFromRawLexer(token);
    if (token.is(tok::eof))
      return pieces;
    const std::size_t end = static_cast<std::size_t>(lexer.getBufferLocation() - text.data());
    pieces.push_back({token.getKind(), end - token.getLength(), token.getLength()});
  }
}

/// The number of tokens from `at` on that spell three brackets of one kind on one line; 0: there are none.
std::size_t threeBrackets(std::string_view text, const std::vector<Piece> &tokens, std::size_t at,
                          char bracket) {
  std::size_t brackets = 0, count = 0;
  for (; brackets < 3 && at + count < tokens.size(); ++count) {
    const Piece &token = tokens[at + count];
    if (text.substr(token.offset, token.length).find_first_not_of(bracket) != std::string_view::npos)
      return 0;
    brackets += token.length;
  }
  if (brackets != 3)
    return 0;
  const std::size_t first = tokens[at].offset, end = tokens[at + count - 1].end();
  return text.substr(first, end - first).find('\n') == std::string_view::npos ? count : 0;
}

/// `<< <` becomes `<<< `: the blanks go behind.
void join(std::string &text, const Piece &first, const Piece &last) {
  const std::string bracket(1, text[first.offset]);
  std::string joined = bracket + bracket + bracket;
  joined.resize(last.end() - first.offset, ' ');
  text.replace(first.offset, joined.size(), joined);
}

} // namespace

std::optional<std::string> joinBrackets(std::string_view original) {
  if (!maybeSpaced(original))
    return std::nullopt;
  std::string text(original);
  const std::vector<Piece> tokens = tokensOf(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t opening = threeBrackets(text, tokens, i, '<');
    if (!opening)
      continue;
    int depth = 0;
    for (std::size_t j = i + opening; j < tokens.size() && depth >= 0 && tokens[j].kind != tok::semi; ++j) {
      const tok::TokenKind kind = tokens[j].kind;
      depth += kind == tok::l_paren || kind == tok::l_brace || kind == tok::l_square;
      depth -= kind == tok::r_paren || kind == tok::r_brace || kind == tok::r_square;
      const std::size_t closing = depth == 0 ? threeBrackets(text, tokens, j, '>') : 0;
      if (!closing || j + closing == tokens.size() || tokens[j + closing].kind != tok::l_paren)
        continue;
      join(text, tokens[i], tokens[i + opening - 1]);
      join(text, tokens[j], tokens[j + closing - 1]);
      break;
    }
  }
  if (text == original)
    return std::nullopt;
  return text;
}

namespace {

class JoinedFile : public vfs::File {
public:
  JoinedFile(vfs::Status status, std::string text) : status_(std::move(status)), text_(std::move(text)) {}

  llvm::ErrorOr<vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &name, int64_t, bool,
                                                               bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(text_, name);
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status status_;
  std::string text_;
};

class JoiningFileSystem : public vfs::ProxyFileSystem {
public:
  explicit JoiningFileSystem(std::string root)
      : ProxyFileSystem(vfs::createPhysicalFileSystem()), root_(std::move(root)) {}

  llvm::ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const llvm::Twine &path) override {
    llvm::ErrorOr<std::unique_ptr<vfs::File>> file = ProxyFileSystem::openFileForRead(path);
    llvm::SmallString<256> real;
    if (!file || getRealPath(path, real) || !llvm::StringRef(real).starts_with(root_))
      return file;
    const llvm::ErrorOr<vfs::Status> status = (*file)->status();
    const auto buffer = (*file)->getBuffer(path);
    if (!status || !buffer)
      return ProxyFileSystem::openFileForRead(path);
    if (std::optional<std::string> text = joinBrackets((*buffer)->getBuffer()))
      return std::make_unique<JoinedFile>(*status, std::move(*text));
    return ProxyFileSystem::openFileForRead(path);
  }

private:
  std::string root_;
};

} // namespace

llvm::IntrusiveRefCntPtr<vfs::FileSystem> bracketJoiningFileSystem(std::string root) {
  return llvm::makeIntrusiveRefCnt<JoiningFileSystem>(std::move(root));
}

} // namespace cupr::rewrite

/// Listening to the preprocessor: only user files count, which keeps the stream
/// small beside the toolkit's headers.
#include "tokens.h"

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

namespace cupr::rewrite {

class TokenStream::Listener : public clang::PPCallbacks {
public:
  Listener(TokenStream &stream, std::function<bool(clang::FileID)> isUserFile)
      : stream_(stream), isUserFile_(std::move(isUserFile)) {}

  void LexedFileChanged(clang::FileID file, LexedFileChangeReason, clang::SrcMgr::CharacteristicKind kind,
                        clang::FileID, clang::SourceLocation) override {
    stream_.listening_ = !clang::SrcMgr::isSystem(kind) && isUserFile_(file);
  }

private:
  TokenStream &stream_;
  std::function<bool(clang::FileID)> isUserFile_;
};

void TokenStream::attach(clang::Preprocessor &preprocessor, std::function<bool(clang::FileID)> isUserFile) {
  sources_ = &preprocessor.getSourceManager();
  preprocessor.addPPCallbacks(std::make_unique<Listener>(*this, std::move(isUserFile)));
  preprocessor.setTokenWatcher([this](const clang::Token &token) {
    if (listening_ && !token.isAnnotation())
      tokens_.push_back({token.getLocation(), token.getKind(), token.getLength()});
  });
}

std::optional<std::size_t> TokenStream::find(clang::SourceLocation location) const {
  for (; indexed_ < tokens_.size(); ++indexed_)
    index_.try_emplace(tokens_[indexed_].location, indexed_);
  if (auto it = index_.find(location); it != index_.end())
    return it->second;
  // Both halves of a split `>>` have locations of their own, which spell the
  // token they were cut from.
  const clang::SourceLocation spelling = sources_->getSpellingLoc(location);
  for (unsigned back = 0; back < 3; ++back)
    if (auto it = index_.find(spelling.getLocWithOffset(-static_cast<int>(back)));
        it != index_.end() && tokens_[it->second].length > back)
      return it->second;
  return std::nullopt;
}

} // namespace cupr::rewrite

/// Which files of a parse are user files, and where in them a location lies.
#ifndef CUPR_REWRITE_USERFILES_H
#define CUPR_REWRITE_USERFILES_H

#include "facts.h"

#include "clang/Basic/FileEntry.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"

namespace clang {
class SourceManager;
} // namespace clang

namespace cupr::rewrite {

class UserFiles {
public:
  UserFiles(const clang::SourceManager &sources, std::string root, Facts &facts)
      : sources_(sources), root_(std::move(root)), facts_(facts) {}

  /// The user file that this is, or none. Its text is taken into the facts.
  std::optional<FileId> find(clang::FileID file);
  std::optional<FileId> find(clang::FileEntryRef file);
  /// Whether the place where `location` was expanded lies in a user file.
  bool contains(clang::SourceLocation location);
  /// The place for diagnostics: where a macro was used, not where it was written.
  Place place(clang::SourceLocation location);
  /// The spot `bytes` behind the spelling of `location`; none outside user files.
  std::optional<Spot> spot(clang::SourceLocation location, unsigned bytes);
  /// A path as the compiler was told, from the root of the file system.
  std::string absolute(llvm::StringRef path) const;
  /// A file that is neither a user file nor a system header: its path.
  std::optional<std::string> outsider(clang::SourceLocation location);

private:
  const clang::SourceManager &sources_;
  std::string root_;
  Facts &facts_;
  llvm::DenseMap<clang::FileID, int> known_; ///< index, or -1
};

} // namespace cupr::rewrite

#endif

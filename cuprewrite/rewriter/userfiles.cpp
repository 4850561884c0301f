#include "userfiles.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"

#include <filesystem>

namespace cupr::rewrite {

using namespace clang;

static bool isBelow(const std::string &path, const std::string &root) {
  return root == "/" ||
         (path.size() > root.size() && path.compare(0, root.size(), root) == 0 && path[root.size()] == '/');
}

std::string UserFiles::absolute(llvm::StringRef path) const {
  llvm::SmallString<256> absolute(path);
  sources_.getFileManager().makeAbsolutePath(absolute);
  return std::filesystem::path(absolute.str().str()).lexically_normal().string();
}

std::optional<FileId> UserFiles::find(FileEntryRef file) {
  const std::string located = absolute(file.getName());
  std::error_code error;
  const std::string path = std::filesystem::canonical(located, error).string();
  if (error || !isBelow(path, root_))
    return std::nullopt;
  // A header found beside `a.cu` is "./a.h" to clang and "a.h" to everybody else.
  llvm::StringRef spelled = file.getName();
  spelled.consume_front("./");
  return facts_.intern(path, spelled.str(), located);
}

std::optional<FileId> UserFiles::find(FileID file) {
  auto [it, isNew] = known_.try_emplace(file, -1);
  if (!isNew)
    return it->second < 0 ? std::nullopt : std::optional(FileId(it->second));
  bool invalid = false;
  const SrcMgr::SLocEntry &entry = sources_.getSLocEntry(file, &invalid);
  const OptionalFileEntryRef reference = sources_.getFileEntryRefForID(file);
  if (invalid || !entry.isFile() || !reference || SrcMgr::isSystem(entry.getFile().getFileCharacteristic()))
    return std::nullopt;
  const std::optional<FileId> found = find(*reference);
  if (!found)
    return std::nullopt;
  it->second = static_cast<int>(*found);
  if (facts_.file(*found).text.empty())
    facts_.file(*found).text = sources_.getBufferData(file).str();
  return found;
}

bool UserFiles::contains(SourceLocation location) {
  return location.isValid() && find(sources_.getFileID(sources_.getExpansionLoc(location))).has_value();
}

Place UserFiles::place(SourceLocation location) {
  const auto [file, offset] = sources_.getDecomposedLoc(sources_.getExpansionLoc(location));
  const std::optional<FileId> id = find(file);
  if (!id)
    return {};
  return {*id, sources_.getLineNumber(file, offset), sources_.getColumnNumber(file, offset)};
}

std::optional<Spot> UserFiles::spot(SourceLocation location, unsigned bytes) {
  const auto [file, offset] = sources_.getDecomposedLoc(sources_.getSpellingLoc(location));
  const std::optional<FileId> id = find(file);
  if (!id)
    return std::nullopt;
  return Spot{*id, offset + bytes};
}

std::optional<std::string> UserFiles::outsider(SourceLocation location) {
  const SourceLocation expansion = sources_.getExpansionLoc(location);
  if (location.isInvalid() || sources_.isInSystemHeader(expansion) || contains(location))
    return std::nullopt;
  const OptionalFileEntryRef file = sources_.getFileEntryRefForID(sources_.getFileID(expansion));
  return file ? std::optional(file->getName().str()) : std::nullopt;
}

} // namespace cupr::rewrite

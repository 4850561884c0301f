/// Which files are copied, where the copies lie, and what a compiler needs to
/// find them.
///
/// The output folder mirrors the tree below the project's root. A header is copied
/// - when it changes, or includes one that is copied: otherwise the original and the
///   copy of a header could meet in one translation unit;
/// - when a copied file found it beside itself: the copy looks for it there too, and
///   an -I for its folder could let it hide a header of the system.
#ifndef CUPR_REWRITE_MIRROR_H
#define CUPR_REWRITE_MIRROR_H

#include "diagnostics.h"
#include "edit.h"

#include <filesystem>

namespace cupr::rewrite {

struct Copy {
  FileId file{};
  std::filesystem::path path;
  std::string text;
};

/// The deepest folder that holds all inputs, or the current one when it does.
std::filesystem::path defaultRoot(const std::vector<std::filesystem::path> &inputs);

/// All copies, in the order of their files.
std::vector<Copy> makeCopies(const Facts &facts, const EditPlan &plan, const std::filesystem::path &root,
                             const std::filesystem::path &outputFolder);

/// The -I flags that a build of the copies needs in front of the user's own.
std::vector<std::string> includeFlags(const Facts &facts, const std::vector<Copy> &copies,
                                      const std::filesystem::path &root,
                                      const std::filesystem::path &outputFolder,
                                      const std::vector<std::string> &includeFolders);

/// A VFS overlay (clang's -ivfsoverlay) in which each original has the text of
/// its copy.
std::string vfsOverlay(const Facts &facts, const std::vector<Copy> &copies);

/// Writes all copies, or none: into new files first, which are then renamed.
bool write(const std::vector<Copy> &copies, Diagnostics &diagnostics);

} // namespace cupr::rewrite

#endif

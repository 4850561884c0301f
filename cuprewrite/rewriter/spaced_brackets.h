/// Launch brackets that are written apart: `kernel << <grid, block >> >(p)`, as one widespread formatter
/// leaves them.
///
/// nvcc takes these for `<<<` and `>>>`, clang doesn't. A file system that joins them serves the parse; each
/// joined bracket keeps its length (`<<< `), so places are those of the file on disk.
#ifndef CUPR_REWRITE_SPACED_BRACKETS_H
#define CUPR_REWRITE_SPACED_BRACKETS_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <optional>
#include <string>
#include <string_view>

namespace llvm::vfs {
class FileSystem;
} // namespace llvm::vfs

namespace cupr::rewrite {

/// `text` with its launch brackets joined; none: there is nothing to join. Comments and literals stay.
std::optional<std::string> joinBrackets(std::string_view text);

/// The real file system, but that files below the folder `root` are read with their brackets joined.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> bracketJoiningFileSystem(std::string root);

} // namespace cupr::rewrite

#endif

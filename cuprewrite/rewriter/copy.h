/// The text of an augmented copy.
///
///     #include <cupr/cupr.h> // augmented by cuprewrite
///     #line 1 "path as the user spells it"
///     ... every line of the original, under its own number ...
///     the edit table, from which the pass computes original columns
///
/// A file that is included inside a class, a function or a list (File::nested)
/// can't hold the include and the table: they stand in the copy of its includer.
#ifndef CUPR_REWRITE_COPY_H
#define CUPR_REWRITE_COPY_H

#include "edit.h"

namespace cupr::rewrite {

/// How many lines of a copy stand in front of the original's first.
constexpr std::size_t kLinesInFront = 2;

/// The edits of another file whose table stands in this copy.
struct Hosted {
  const File *file = nullptr;
  std::vector<Edit> edits;
};

std::string copyText(const File &file, std::span<const Edit> edits, std::span<const Hosted> hosted = {});

/// Whether `text` is such a copy.
bool isAugmented(std::string_view text);

} // namespace cupr::rewrite

#endif

/// The text of an augmented copy.
///
///     #include <cupr/cupr.h> // augmented by cuprewrite
///     #line 1 "path as the user spells it"
///     ... every line of the original, under its own number ...
///     the edit table, from which the pass computes original columns
#ifndef CUPR_REWRITE_COPY_H
#define CUPR_REWRITE_COPY_H

#include "edit.h"

namespace cupr::rewrite {

std::string copyText(const File &file, std::span<const Edit> edits);

/// Whether `text` is such a copy.
bool isAugmented(std::string_view text);

} // namespace cupr::rewrite

#endif

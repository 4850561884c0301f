/// The text of an augmented copy.
///
///     #include <cupr/cupr.h> // augmented by cuprewrite
///     #line 1 "path as the user spells it"
///     ... every line of the original, under its own number ...
///     the edit table, from which the pass computes original columns
///
/// A file that is included within a class or function can hold neither the
/// header nor a table: its table stands in the copies of the inputs.
#ifndef CUPR_REWRITE_COPY_H
#define CUPR_REWRITE_COPY_H

#include "edit.h"

namespace cupr::rewrite {

/// `otherTables`: text of tables of files that can't hold their own.
std::string copyText(const File &file, std::span<const Edit> edits, std::string_view otherTables = {});

/// The lines with the edit table of a file.
std::string tableText(const File &file, std::span<const Edit> edits, std::string_view newline);

/// Whether `text` is such a copy.
bool isAugmented(std::string_view text);

} // namespace cupr::rewrite

#endif

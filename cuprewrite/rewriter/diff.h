/// What a copy adds to its original, as a unified diff that `patch` applies.
///
/// No search for equal lines is needed: a copy has some lines of its own, then every line of the original
/// under its own number, then lines of its own again.
#ifndef CUPR_REWRITE_DIFF_H
#define CUPR_REWRITE_DIFF_H

#include <string>
#include <string_view>

namespace cupr::rewrite {

/// `linesInFront`: how many lines of `copy` stand in front of the original's first. Empty when nothing
/// differs.
std::string unifiedDiff(std::string_view original, std::string_view copy, std::size_t linesInFront,
                        std::string_view originalName, std::string_view copyName);

} // namespace cupr::rewrite

#endif

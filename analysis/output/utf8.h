/// Text from a trace may be any bytes; what goes into JSON must be UTF-8, and what goes to a terminal nothing
/// that it would obey.
#ifndef CUPR_ANALYSIS_UTF8_H
#define CUPR_ANALYSIS_UTF8_H

#include <string>
#include <string_view>

namespace cupr::analysis {

/// `text` with every byte that is not part of a UTF-8 sequence replaced by U+FFFD.
std::string validUtf8(std::string_view text);

/// `text` as a terminal may have it, in one line: control characters (C0, DEL, C1), ends of lines, what turns
/// the direction of text, and bytes that are no UTF-8 become \n, \t, \r, \x1b, \u202e and the like. All else,
/// a backslash too, stays.
std::string shown(std::string_view text);
/// The same for a text of several lines, whose ends stay.
std::string shownLines(std::string_view text);

} // namespace cupr::analysis

#endif

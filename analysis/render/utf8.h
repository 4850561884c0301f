/// Text from a trace may be any bytes; what goes into JSON must be UTF-8.
#ifndef CUPR_ANALYSIS_UTF8_H
#define CUPR_ANALYSIS_UTF8_H

#include <string>
#include <string_view>

namespace cupr::analysis {

/// `text` with every byte that is not part of a UTF-8 sequence replaced by U+FFFD.
std::string validUtf8(std::string_view text);

} // namespace cupr::analysis

#endif

/// Text from a trace in HTML and XML.
#ifndef CUPR_ANALYSIS_MARKUP_H
#define CUPR_ANALYSIS_MARKUP_H

#include <string>
#include <string_view>

namespace cupr::analysis {

/// `text`, shown (utf8.h), as it may stand between tags or in an attribute between double quotes.
std::string markup(std::string_view text);

} // namespace cupr::analysis

#endif

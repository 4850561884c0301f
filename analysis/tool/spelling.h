/// What somebody may have meant who wrote a word that is none.
#ifndef CUPR_ANALYSIS_SPELLING_H
#define CUPR_ANALYSIS_SPELLING_H

#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// The word that is nearest to `wrong`: at most a third of its letters added, left out, changed or swapped with the next. Empty: there is none.
std::string nearestWord(std::string_view wrong, const std::vector<std::string> &words);

} // namespace cupr::analysis

#endif

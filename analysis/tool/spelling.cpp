/// Source: optimal string alignment (Damerau 1964), row by row.
#include "spelling.h"

#include <algorithm>
#include <cstddef>

namespace cupr::analysis {

namespace {

std::size_t distanceOf(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last.swap(now);
  }
  return last[b.size()];
}

} // namespace

std::string nearestWord(std::string_view wrong, const std::vector<std::string> &words) {
  constexpr std::size_t kLongest = 64; // nobody has a word of this length in mind
  if (wrong.size() > kLongest)
    return {};
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  for (const std::string &word : words)
    if (const std::size_t distance = distanceOf(wrong, word); distance < least) {
      least = distance;
      nearest = word;
    }
  return nearest;
}

} // namespace cupr::analysis

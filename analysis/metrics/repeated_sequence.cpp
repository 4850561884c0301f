/// For each length of a turn, how far on the numbers are those a turn later is counted from the end of the list to its beginning, so each
/// place is looked at once.
#include "repeated_sequence.h"

#include <algorithm>

namespace cupr::analysis {

std::vector<RepeatedSequence> repeatedSequences(std::span<const std::uint32_t> numbers, std::size_t longest,
                                                std::size_t leastTurns) {
  // By place: the turn's length with which enough turns begin there, and how many; 0: none.
  struct Found {
    std::size_t length = 0, turns = 0;
  };
  std::vector<Found> found(numbers.size());
  for (std::size_t length = longest; length > 0; --length) { // shorter ones replace longer ones
    std::size_t same = 0;
    for (std::size_t at = numbers.size() - std::min(numbers.size(), length); at-- > 0;) {
      same = numbers[at] == numbers[at + length] ? same + 1 : 0;
      if (const std::size_t turns = same / length + 1; turns >= leastTurns)
        found[at] = {length, turns};
    }
  }
  std::vector<RepeatedSequence> all;
  for (std::size_t at = 0; at < found.size();) {
    const auto [length, turns] = found[at];
    if (length != 0)
      all.push_back({at, length, turns});
    at += length == 0 ? 1 : length * turns;
  }
  return all;
}

} // namespace cupr::analysis

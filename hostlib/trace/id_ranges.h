/// Which numbers there are, kept as ranges: a few words for any number of launches that follow each other.
#ifndef CUPR_TRACE_ID_RANGES_H
#define CUPR_TRACE_ID_RANGES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cupr::trace {

/// Not for several threads at once.
class IdRanges {
public:
  struct Range {
    std::uint64_t first, last;
    friend bool operator==(const Range &, const Range &) = default;
  };

  /// False: it was there already.
  bool add(std::uint64_t id);
  bool contains(std::uint64_t id) const;
  /// From 1 up to the highest number that there is.
  std::vector<Range> gaps() const;

private:
  std::map<std::uint64_t, std::uint64_t> lastByFirst_; ///< neither overlap nor touch
};

/// `launch 5`, `launches 5 to 7`.
std::string launchesText(const IdRanges::Range &range);

} // namespace cupr::trace

#endif

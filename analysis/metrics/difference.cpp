/// Both traces become tables of figures by name; what is in one only is 0 in the other.
#include "difference.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cupr::analysis {

namespace {

/// (rank, kernel, file, line, what): rank 0 is the program, 1 a kernel, 2 a line.
using Key = std::tuple<int, std::string, std::string, std::uint32_t, std::string>;
using Figures = std::map<Key, std::uint64_t>;

Figures figuresOf(const Model &model, const Results &results) {
  Figures figures;
  const Communication &c = results.communication;
  const auto program = [&](const char *what, std::uint64_t value) { figures[{0, "", "", 0, what}] = value; };
  program("launches", model.calls());
  program("accesses", c.counts.accesses());
  program("bytes", c.counts.bytes());
  program("distinct bytes read", c.uniqueRead);
  program("distinct bytes written", c.uniqueWritten);
  program("communicated bytes", c.communicated);
  program("communicated bytes, other index", c.otherIndex);
  program("supersteps", c.ordering->supersteps());
  for (std::size_t i = 0; i < c.launches.size(); ++i) {
    const LaunchInfo &info = model.launches()[i];
    const auto kernel = [&](const char *what, std::uint64_t value) {
      figures[{1, info.kernel, "", 0, what}] += value;
    };
    kernel("launches", info.phase == 0 ? 1 : 0);
    kernel("accesses", info.totals.counts.global.accesses());
    kernel("bytes", info.totals.counts.global.bytes());
    kernel("bytes from earlier launches", c.launches[i].readFromLaunches);
    kernel("bytes to later launches", c.launches[i].readByLaunches);
  }
  for (const SourceFile &file : results.sources)
    for (const auto &[number, line] : file.lines) {
      const auto put = [&, at = number](const char *what, std::uint64_t value) {
        figures[{2, "", file.path, at, what}] += value;
      };
      put("requests", line.requests);
      put("sectors", line.sectors);
      put("excess sectors", line.sectors - line.leastSectors);
      put("bytes", line.bytes());
    }
  return figures;
}

double proportion(const Difference &difference) {
  return static_cast<double>(difference.size()) /
         static_cast<double>(std::max(difference.before, difference.after));
}

} // namespace

std::vector<Difference> differences(const Model &before, const Results &resultsBefore, const Model &after,
                                    const Results &resultsAfter) {
  std::map<Key, std::pair<std::uint64_t, std::uint64_t>> both;
  for (const auto &[key, value] : figuresOf(before, resultsBefore))
    both[key].first = value;
  for (const auto &[key, value] : figuresOf(after, resultsAfter))
    both[key].second = value;
  std::vector<std::pair<Key, Difference>> found;
  for (const auto &[key, values] : both) {
    const auto &[rank, kernel, file, line, what] = key;
    if (values.first != values.second)
      found.push_back({key, {what, kernel, file, line, values.first, values.second}});
  }
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return std::tuple(std::get<0>(a.first), -proportion(a.second), a.first) <
           std::tuple(std::get<0>(b.first), -proportion(b.second), b.first);
  });
  std::vector<Difference> result;
  for (auto &[key, difference] : found)
    result.push_back(std::move(difference));
  return result;
}

} // namespace cupr::analysis

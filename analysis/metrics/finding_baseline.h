/// Findings that are known already: those of an earlier run, as `cupranalyze findings --json` wrote them.
///
/// A finding is known where the earlier ones have one of the same rule, operation, kernel and file name, for the same words of the source (or,
/// where those are not known, the same call path or line), and its amount is no more than a twentieth above that one's. So lines may move, and files change
/// their folders.
#ifndef CUPR_ANALYSIS_FINDING_BASELINE_H
#define CUPR_ANALYSIS_FINDING_BASELINE_H

#include "findings.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace cupr::analysis {

class FindingBaseline {
public:
  /// Throws std::runtime_error, with the path, where the file can't be read or is no such list.
  explicit FindingBaseline(const std::string &path);

  /// Takes out those that are known. Returns how many they were.
  std::size_t takeOut(std::vector<Finding> &findings) const;

private:
  /// Rule, operation, kernel, name of the file, and words, call path or line.
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  static Key keyOf(std::string rule, std::string operation, std::string kernel, const std::string &file,
                   std::string expression, std::uint32_t line, const std::string &path);
  std::map<Key, std::uint64_t> known_; ///< the largest amount of each
};

} // namespace cupr::analysis

#endif

/// Which source line moved how much: the volumes of every site, joined by line, and by access within it.
#ifndef CUPR_ANALYSIS_SOURCE_LINES_H
#define CUPR_ANALYSIS_SOURCE_LINES_H

#include "analysis/engine/communication.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Accesses in all launches together.
struct AccessVolume {
  trace::Counts counts;
  std::uint64_t requests = 0; ///< warp-level accesses
  /// Distinct 32-byte sectors that each request touches, summed. 32 threads with 4 bytes
  /// each need 4 sectors at least.
  std::uint64_t sectors = 0;
  std::uint64_t leastSectors = 0; ///< what they would be if each request's distinct bytes lay side by side
  std::uint64_t communicated = 0, readCommunicated = 0; ///< as in SiteVolume
  StrideVolume strides;
  std::set<std::string> functions; ///< as the user knows them
  std::uint64_t bytes() const { return counts.bytes(); }
};

/// An access of the source: its column, 0 if unknown, and whether it loads, stores or does an atomic.
using AccessPlace = std::pair<std::uint32_t, abi::OperationClass>;

/// What stands in one line: the sums, and each access.
struct LineVolume : AccessVolume {
  std::map<AccessPlace, AccessVolume> accesses;
};

struct SourceFile {
  std::string path;
  std::string text;                          ///< empty: the trace has not got it
  std::map<std::uint32_t, LineVolume> lines; ///< by line number; 0: unknown
  std::uint64_t bytes = 0;                   ///< of all lines
};

/// Files with accesses, by descending volume. Accesses without line information come under
/// the empty path.
std::vector<SourceFile> sourceLines(const Model &model, const Communication &communication);

/// Adds the texts of files without accesses: those that the trace has and that are `names`, or end in one from a folder's or the file's
/// name on.
void addTexts(const Model &model, const std::set<std::string> &names, std::vector<SourceFile> &files);

} // namespace cupr::analysis

#endif

/// Makes a valid trace of a damaged or truncated one: keeps every message that is whole, and says what
/// is not there.
///
/// Afterwards the file reads to its end. The verifier still finds it incomplete, truthfully: the
/// end lists what was missing in the file, and a launch that lacks records is incomplete and says why.
///
/// What is kept, and what is made up:
/// - Chunks are numbered anew, and the totals of their launch are those of the chunks that are left.
/// - A launch without an end gets one. A launch of which only chunks or the end are there gets a message that
/// names
///   no kernel; its chunks can't be understood without the module, and are left out.
/// - Modules are numbered anew. Chunks of launches whose module is missing are left out.
/// - A file without a header gets one that names no program.
/// - Chunks that break a rule of trace.capnp are left out, and so are messages in the wrong order.
///
/// A file that is whole comes out as it is, byte for byte.
#ifndef CUPR_TRACE_REPAIR_H
#define CUPR_TRACE_REPAIR_H

#include "reader.h"
#include "work_limit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::trace {

struct Repaired {
  /// What was missing or damaged, one line each, at most kMaxMissing and one that says how many more; empty:
  /// nothing.
  std::vector<std::string> missing;
  std::uint64_t messages = 0; ///< in the new file
  std::uint64_t launches = 0;
  std::uint64_t incomplete = 0; ///< launches that lack records
  std::uint64_t records = 0;
  /// These two say why there is no new file, or one that is no good.
  std::string badTrace;   ///< nothing of the old one is whole, or it is of a newer format
  std::string writeError; ///< the new one can't be written
  bool good() const { return badTrace.empty() && writeError.empty(); }
};

inline constexpr std::size_t kMaxMissing = 1000;

/// Reads all that is in `reader`, which must stand at its start, and writes what is whole to `path`, which
/// must not be the same file. Throws TooMuch, if there is a limit.
Repaired repair(Reader &reader, const std::string &path, WorkLimit *limit = nullptr);

} // namespace cupr::trace

#endif

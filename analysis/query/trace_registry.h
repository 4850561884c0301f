/// The traces that one connection to a database has open: a query that names a trace again finds it as it was left.
#ifndef CUPR_ANALYSIS_TRACE_REGISTRY_H
#define CUPR_ANALYSIS_TRACE_REGISTRY_H

#include "open_trace.h"

#include <map>
#include <memory>
#include <string>
#include <sys/stat.h>

namespace cupr::analysis {

/// Not for several threads at once: SQLite lets one at a time into a connection.
class TraceRegistry {
public:
  /// Opens it, unless it is open and its file the same. Throws BadTrace, trace::TooMuch.
  std::shared_ptr<OpenTrace> open(const std::string &path);

private:
  /// What says that a file was written anew.
  struct Version {
    dev_t device = 0;
    ino_t file = 0;
    off_t bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    friend bool operator==(const Version &, const Version &) = default;
  };
  static Version versionOf(const std::string &path);
  struct Known {
    Version version;
    std::shared_ptr<OpenTrace> trace;
  };
  std::map<std::string, Known> known_; ///< by path
};

} // namespace cupr::analysis

#endif

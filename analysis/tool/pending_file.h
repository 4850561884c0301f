/// A file that appears under its name only when it is complete: after an error or an interrupt, nothing
/// half-written is left, and what had the name before is still there.
#ifndef CUPR_ANALYSIS_PENDING_FILE_H
#define CUPR_ANALYSIS_PENDING_FILE_H

#include <string>

namespace cupr::analysis {

/// At most one at a time. Signals that end the program (SIGINT, SIGTERM, SIGHUP, SIGPIPE) remove the file
/// first.
class PendingFile {
public:
  /// The file is the caller's to create, at `path()`.
  explicit PendingFile(std::string name);
  /// Removes the file unless it was committed.
  ~PendingFile();
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;

  /// Where to write: a name of its own, in the same folder.
  const std::string &path() const { return path_; }
  /// The file is complete: gives it its name. Throws std::runtime_error if that can't be done.
  void commit();

private:
  std::string name_, path_;
};

} // namespace cupr::analysis

#endif

/// A file that appears under its name only when it is complete: after an error or an interrupt, nothing
/// half-written is left, and what had the name before is still there.
#ifndef CUPR_ANALYSIS_PENDING_FILE_H
#define CUPR_ANALYSIS_PENDING_FILE_H

#include <string>

namespace cupr::analysis {

/// A name that stands for a device or a pipe is written at once, and one that is a symbolic link stays one.
/// Not for several threads. Signals that end the program (SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ) remove
/// the file first.
class PendingFile {
public:
  /// The file is the caller's to create, at `path()`.
  explicit PendingFile(std::string name);
  /// Removes the file unless it was committed.
  ~PendingFile();
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;

  /// Where to write: usually a name of its own, in the same folder.
  const std::string &path() const { return path_; }
  /// What messages call it.
  const std::string &name() const { return name_; }
  /// The file is complete: gives it its name. Throws std::runtime_error if that can't be done.
  void commit();

private:
  std::string name_, path_;
  const char *volatile *place_ = nullptr; ///< where the handler finds the path
  bool removes_ = true;                   ///< it is unfinished, and ours
};

} // namespace cupr::analysis

#endif

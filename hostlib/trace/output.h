/// The file that a trace is appended to: frames go out whole, with one write each, so
/// that whatever happens to the process, what was written is a readable trace.
#ifndef CUPR_TRACE_OUTPUT_H
#define CUPR_TRACE_OUTPUT_H

#include "message.h"
#include "own_file.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cupr::trace {

/// Traces are for those who made them: they hold names, command lines and addresses.
inline constexpr unsigned kPrivateMode = 0600;

/// The mode that CUPR_FILE_MODE says in octal; none: the text is no mode that lets its owner write.
std::optional<unsigned> fileMode(const std::string &octal);

/// What may happen to a file that is there already. An empty file is nobody's.
enum class Existing { MayBeReplaced, MayBeReplacedIfTrace };

/// Not for several threads at once. Nothing is thrown.
class Output {
public:
  /// Creates or truncates `path`. A new file gets the mode, less what the umask takes.
  explicit Output(std::string path, Existing existing = Existing::MayBeReplaced,
                  unsigned mode = kPrivateMode);
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  /// Appends a frame around `payload`; `hash` is hashOf its bytes. Returns 0 or the
  /// error number, after which the file ends with the frame before and is closed.
  int append(const Payload &payload, std::uint64_t hash);
  /// Waits until what was written has reached the disk. Returns 0 or the error number.
  int synchronise() { return file_.synchronise(); }
  /// Closes the file. Returns 0 or the error number.
  int close() { return file_.close(); }

  /// 0, or why the file could not be created.
  int openError() const { return openError_; }
  bool isOpen() const { return file_.isOpen(); }
  const std::string &path() const { return path_; }
  /// Where the next frame goes.
  std::uint64_t offset() const { return offset_; }
  std::uint64_t messages() const { return messages_; }

private:
  std::string path_;
  OwnFile file_;
  int openError_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t messages_ = 0;
};

/// What an error number of Output means, for the user: a text that stays, or strerror's.
const char *outputProblem(int error);

} // namespace cupr::trace

#endif

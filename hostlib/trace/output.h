/// The file that a trace is appended to: frames go out whole, with one write each, so
/// that whatever happens to the process, what was written is a readable trace.
#ifndef CUPR_TRACE_OUTPUT_H
#define CUPR_TRACE_OUTPUT_H

#include "message.h"

#include <cstdint>
#include <string>

namespace cupr::trace {

/// Not for several threads at once. Nothing is thrown.
class Output {
public:
  /// Creates or truncates `path`.
  explicit Output(std::string path);
  ~Output();
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  /// Appends a frame around `payload`; `hash` is hashOf its bytes. Returns 0 or the
  /// error number, after which the file ends with the frame before and is closed.
  int append(const Payload &payload, std::uint64_t hash);
  /// Closes the file. Returns 0 or the error number.
  int close();

  /// 0, or why the file could not be created.
  int openError() const { return openError_; }
  bool isOpen() const { return file_ >= 0; }
  const std::string &path() const { return path_; }
  /// Where the next frame goes.
  std::uint64_t offset() const { return offset_; }
  std::uint64_t messages() const { return messages_; }

private:
  std::string path_;
  int file_ = -1;
  int openError_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t messages_ = 0;
};

} // namespace cupr::trace

#endif

/// Writes a trace message by message, for tools that make one trace from another: keeps the counts
/// and the index that the end holds. (What runs beside a program is Writer.)
#ifndef CUPR_TRACE_MESSAGE_FILE_H
#define CUPR_TRACE_MESSAGE_FILE_H

#include "output.h"

#include <map>
#include <string>
#include <unordered_set>
#include <utility>

namespace cupr::trace {

/// Not for several threads at once. Throws what encode throws.
class MessageFile {
public:
  /// Creates or truncates `path`.
  explicit MessageFile(std::string path) : output_(std::move(path)), error_(output_.openError()) {}

  /// Appends any message but End. What trace.capnp says of their order is the caller's to keep. Does
  /// nothing after an error.
  void append(const Message &message);
  /// The same for a message that is there in bytes already, and says more than `message` if it is a
  /// newer program's.
  void append(const Message &message, const Payload &payload);
  /// How many chunks of this launch there are: the sequence number of the next one.
  std::uint64_t chunks(LaunchId launch) const;
  /// `end` with counts and index filled in. Launches that need not be named in it are where it names them.
  End filled(End end) const;
  /// Writes `end` filled in, and closes the file.
  void finish(End end);
  /// Closes the file, whose end has been appended.
  void close();

  /// The number of the first error; 0: none.
  int error() const { return error_; }
  std::uint64_t messages() const { return output_.messages(); }

private:
  Output output_;
  int error_;
  std::array<std::uint64_t, kMessageKinds> counts_{};
  std::map<LaunchId, LaunchIndex> index_;
  std::unordered_set<LaunchId> untraced_;
};

} // namespace cupr::trace

#endif

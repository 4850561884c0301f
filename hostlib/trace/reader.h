/// Reads a trace file message by message; memory is bounded by the largest message whose check is right.
///
/// A reader is a cursor: `next` gives message after message and then says, for good, how
/// the file ends. Whole messages in front of a cut are all given.
#ifndef CUPR_TRACE_READER_H
#define CUPR_TRACE_READER_H

#include "frame.h"
#include "message.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

enum class ReadStatus {
  Message,   ///< a message was read
  End,       ///< the file is whole: an `end` message and nothing behind it
  Truncated, ///< the file stops in the middle of a message, or has no `end`
  Damaged,   ///< something is there that no writer wrote
};

/// Not for several threads at once. Throws std::bad_alloc only.
class Reader {
public:
  /// Null if the file can't be opened; `error` then says why and what to do.
  static std::unique_ptr<Reader> open(const std::string &path, std::string &error);
  ~Reader();
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;

  /// Reads the next message. `message` is set when the result is Message.
  ReadStatus next(Message &message);

  /// After Truncated or Damaged: looks for the next whole frame behind that place, with a number that is
  /// not smaller than expected, and goes on there. False: there is none. How many messages are missing is
  /// seen from the number of the next one.
  bool resume();

  /// Reads the frame at `offset`, which `offset()` or an index has given, without
  /// moving the cursor. Returns the rule that is broken; empty: none.
  std::string at(std::uint64_t offset, Message &message);

  /// Where the frame begins that ends with the file; nothing if there is none, or it is larger than anything but records should be.
  std::optional<std::uint64_t> lastFrame();
  /// What stands at `offset` as a frame's head; nothing if it can't be one.
  std::optional<FrameHead> headAt(std::uint64_t offset) const;
  /// Lets `next` go on behind the frame at `offset`, which has this head, without reading it.
  void pass(std::uint64_t offset, const FrameHead &head);

  /// After Truncated or Damaged: file, message number, offset and rule, in one line.
  std::string error() const;
  /// After Truncated or Damaged: the rule alone.
  const std::string &rule() const { return rule_; }

  /// Of the message that `next` gave last.
  std::uint64_t number() const { return next_ - 1; }
  std::uint64_t offset() const { return lastOffset_; }
  /// Where the next message must start; after Truncated or Damaged, where the trouble is.
  std::uint64_t nextOffset() const { return nextOffset_; }
  /// The bytes of that message, in Cap'n Proto's stream framing, until anything else is read.
  const Payload &payload() const { return payload_; }
  const std::string &path() const { return path_; }
  /// Size of the file when it was opened, or grew.
  std::uint64_t fileBytes() const { return fileBytes_; }
  /// Of a file that is being written: after Truncated, `next` goes on with what has come since.
  void grow();

private:
  Reader(std::string path, int file, std::uint64_t fileBytes)
      : path_(std::move(path)), file_(file), fileBytes_(fileBytes), hashBudget_(8 * fileBytes + (1u << 26)) {}

  bool payloadIsWhole(std::uint64_t offset, const FrameHead &head);
  std::optional<std::uint64_t> findMagic(std::uint64_t offset);
  std::span<std::byte> blockBuffer();
  ReadStatus readFrame(std::uint64_t offset, bool numbered, Message &message, std::uint64_t &size);
  ReadStatus stop(ReadStatus status, std::string rule);

  std::string path_;
  int file_;
  std::uint64_t fileBytes_;
  /// Bytes that `resume` may yet hash in vain. Without a limit, a file of nothing but heads that claim
  /// all that follows them would take time quadratic in its size.
  std::uint64_t hashBudget_;
  std::uint64_t nextOffset_ = 0;
  std::uint64_t lastOffset_ = 0;
  std::uint64_t next_ = 0;
  bool sawEnd_ = false;
  ReadStatus final_ = ReadStatus::Message; ///< how the file ends, once that is known
  std::string rule_;
  Payload payload_;
  std::vector<std::byte> block_; ///< what is looked at in pieces
};

} // namespace cupr::trace

#endif

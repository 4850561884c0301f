/// Finds whole frames and decodes them.
#include "reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cupr::trace {

namespace {

/// How much is read at a time where there is no need for all of it at once.
constexpr std::size_t kBlockBytes = 1u << 20;
/// The largest end that is looked for: 16 M chunks.
constexpr std::size_t kLargestEnd = 256u << 20;

/// Reads `bytes` bytes at `offset`. Returns how many there were, or -1 and errno.
std::int64_t readAt(int file, std::uint64_t offset, void *to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(file, static_cast<char *>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

} // namespace

std::unique_ptr<Reader> Reader::open(const std::string &path, std::string &error) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || ::fstat(file, &status) != 0) {
    error = "can't open the trace file '" + path + "': " + std::strerror(errno);
    if (file >= 0)
      ::close(file);
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    error = "can't read '" + path +
            "': it is not a regular file; a trace is read at several places, so "
            "copy it to a file first";
    ::close(file);
    return nullptr;
  }
  return std::unique_ptr<Reader>(new Reader(path, file, static_cast<std::uint64_t>(status.st_size)));
}

Reader::~Reader() { ::close(file_); }

ReadStatus Reader::stop(ReadStatus status, std::string rule) {
  final_ = status;
  rule_ = std::move(rule);
  return status;
}

std::span<std::byte> Reader::blockBuffer() {
  block_.resize(std::min<std::uint64_t>(kBlockBytes, fileBytes_));
  return block_;
}

bool Reader::payloadIsWhole(std::uint64_t offset, const FrameHead &head) {
  const std::span<std::byte> block = blockBuffer();
  Hasher hasher;
  std::uint64_t left = std::uint64_t{head.words} * 8;
  for (offset += sizeof head; left > 0;) {
    const std::size_t size = std::min<std::uint64_t>(left, block.size());
    if (readAt(file_, offset, block.data(), size) != static_cast<std::int64_t>(size))
      return false;
    hasher.add(block.first(size));
    offset += size;
    left -= size;
  }
  return frameCheck(head, hasher.value()) == head.check;
}

/// The first place at or behind `offset` where a frame may start.
std::optional<std::uint64_t> Reader::findMagic(std::uint64_t offset) {
  const std::span<std::byte> block = blockBuffer();
  while (offset < fileBytes_) {
    const std::int64_t got = readAt(file_, offset, block.data(), block.size());
    if (got < static_cast<std::int64_t>(sizeof kFrameMagic))
      return std::nullopt;
    const auto size = static_cast<std::size_t>(got);
    if (const void *at = ::memmem(block.data(), size, &kFrameMagic, sizeof kFrameMagic))
      return offset + static_cast<std::uint64_t>(static_cast<const std::byte *>(at) - block.data());
    offset += size - (sizeof kFrameMagic - 1);
  }
  return std::nullopt;
}

bool Reader::resume() {
  if (final_ != ReadStatus::Truncated && final_ != ReadStatus::Damaged)
    return false;
  for (std::uint64_t from = nextOffset_;;) {
    const auto offset = findMagic(from);
    if (!offset)
      return false;
    from = *offset + 1;
    FrameHead head;
    if (readAt(file_, *offset, &head, sizeof head) != sizeof head)
      return false;
    const std::uint64_t bytes = std::uint64_t{head.words} * 8;
    // The frame where the trouble is may be whole, if it is the one before that is missing.
    if (head.number < next_ || (*offset == nextOffset_ && head.number == next_) ||
        bytes > fileBytes_ - *offset - sizeof head)
      continue;
    if (!payloadIsWhole(*offset, head)) {
      if (bytes > hashBudget_)
        return false;
      hashBudget_ -= bytes;
      continue;
    }
    nextOffset_ = *offset;
    next_ = head.number;
    sawEnd_ = false;
    final_ = ReadStatus::Message;
    return true;
  }
}

ReadStatus Reader::readFrame(std::uint64_t offset, bool numbered, Message &message, std::uint64_t &size) {
  const auto broken = [&](ReadStatus status, std::string rule) {
    rule_ = std::move(rule);
    return status;
  };
  FrameHead head;
  const std::int64_t got = readAt(file_, offset, &head, sizeof head);
  if (got < 0)
    return broken(ReadStatus::Damaged, std::string("the file can't be read: ") + std::strerror(errno));
  if (got < static_cast<std::int64_t>(sizeof head)) {
    // Even a part of a frame must look like one: what is no trace is not a truncated trace.
    if (std::memcmp(&head, &kFrameMagic, std::min<std::size_t>(static_cast<std::size_t>(got), 4)) != 0)
      return broken(ReadStatus::Damaged,
                    "a frame must start with CUPR: this is not a trace file, or it is damaged");
    return broken(ReadStatus::Truncated, "the file stops in the middle of a frame's head");
  }
  if (head.magic != kFrameMagic)
    return broken(ReadStatus::Damaged,
                  "a frame must start with CUPR: this is not a trace file, or it is damaged");
  size = sizeof head + std::uint64_t{head.words} * 8;
  if (offset + size > fileBytes_)
    return broken(ReadStatus::Truncated, "the file stops in the middle of a message");
  if (size > kBlockBytes && !payloadIsWhole(offset, head)) // before there is memory for it
    return broken(ReadStatus::Damaged, "the check of the frame is wrong");
  payload_.resize(head.words);
  const std::int64_t payloadBytes = readAt(file_, offset + sizeof head, payload_.data(), payload_.size() * 8);
  if (payloadBytes < 0)
    return broken(ReadStatus::Damaged, std::string("the file can't be read: ") + std::strerror(errno));
  if (static_cast<std::uint64_t>(payloadBytes) < payload_.size() * 8)
    return broken(ReadStatus::Truncated, "the file stops in the middle of a message");
  if (frameCheck(head, hashOf(std::as_bytes(std::span(payload_)))) != head.check)
    return broken(ReadStatus::Damaged, "the check of the frame is wrong");
  if (numbered && head.number != next_)
    return broken(ReadStatus::Damaged, "the message has the number " + std::to_string(head.number) +
                                           ": messages are missing or in the wrong order");
  std::string rule = decode(payload_, message);
  if (!rule.empty())
    return broken(ReadStatus::Damaged, std::move(rule));
  return ReadStatus::Message;
}

ReadStatus Reader::next(Message &message) {
  if (final_ != ReadStatus::Message)
    return final_;
  if (nextOffset_ >= fileBytes_) {
    if (sawEnd_)
      return final_ = ReadStatus::End;
    return stop(ReadStatus::Truncated, next_ == 0 ? "the file is empty" : "the file has no end message");
  }
  if (sawEnd_)
    return stop(ReadStatus::Damaged, "nothing must follow the end message");
  std::uint64_t size = 0;
  const ReadStatus status = readFrame(nextOffset_, true, message, size);
  if (status != ReadStatus::Message)
    return final_ = status;
  const bool isHeader = std::holds_alternative<Header>(message);
  if (isHeader != (next_ == 0))
    return stop(ReadStatus::Damaged, isHeader ? "a second header" : "the first message must be the header");
  sawEnd_ = std::holds_alternative<End>(message);
  lastOffset_ = nextOffset_;
  nextOffset_ += size;
  ++next_;
  return ReadStatus::Message;
}

std::string Reader::at(std::uint64_t offset, Message &message) {
  std::string before = rule_;
  std::uint64_t size = 0;
  if (offset >= fileBytes_)
    return "there is no message at offset " + std::to_string(offset);
  const ReadStatus status = readFrame(offset, false, message, size);
  std::string rule = status == ReadStatus::Message ? std::string() : rule_;
  rule_ = std::move(before);
  return rule;
}

std::optional<std::uint64_t> Reader::lastFrame() {
  for (std::uint64_t bytes = kBlockBytes / 16; bytes <= kLargestEnd; bytes *= 16) {
    const std::uint64_t begin = fileBytes_ - std::min(bytes, fileBytes_);
    std::vector<std::byte> tail(fileBytes_ - begin);
    if (readAt(file_, begin, tail.data(), tail.size()) != static_cast<std::int64_t>(tail.size()))
      return std::nullopt;
    FrameHead head;
    for (std::size_t at = tail.size() < sizeof head ? 0 : tail.size() - sizeof head + 1; at-- > 0;) {
      std::memcpy(&head, &tail[at], sizeof head);
      if (head.magic == kFrameMagic && at + sizeof head + std::uint64_t{head.words} * 8 == tail.size())
        return begin + at;
    }
    if (begin == 0)
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<FrameHead> Reader::headAt(std::uint64_t offset) const {
  FrameHead head;
  if (readAt(file_, offset, &head, sizeof head) != sizeof head || head.magic != kFrameMagic)
    return std::nullopt;
  return head;
}

void Reader::pass(std::uint64_t offset, const FrameHead &head) {
  lastOffset_ = offset;
  nextOffset_ = offset + sizeof head + std::uint64_t{head.words} * 8;
  next_ = head.number + 1;
}

void Reader::grow() {
  struct stat status{};
  if (::fstat(file_, &status) == 0)
    fileBytes_ = std::max(fileBytes_, static_cast<std::uint64_t>(status.st_size));
  if (final_ == ReadStatus::Truncated)
    final_ = ReadStatus::Message;
}

std::string Reader::error() const {
  const char *what = final_ == ReadStatus::Truncated ? "truncated" : "damaged";
  return path_ + ": " + what + " at message " + std::to_string(next_) + " (offset " +
         std::to_string(nextOffset_) + "): " + rule_;
}

} // namespace cupr::trace

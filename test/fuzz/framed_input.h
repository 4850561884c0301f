/// Turns any bytes into a trace file that gets past the checks of frames: what lies in the
/// frames is the fuzzer's, their numbers, lengths and checks are right. Otherwise nothing but
/// the hash would ever be tested.
#ifndef CUPR_TEST_FRAMED_INPUT_H
#define CUPR_TEST_FRAMED_INPUT_H

#include "hostlib/trace/frame.h"
#include "hostlib/trace/message.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace cupr::test {

/// `data` as it is, with the frames in it mended: number and check are set right wherever a
/// frame starts and its payload is whole; a chunk keeps what it says of itself.
inline std::string mended(const std::uint8_t *data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  std::uint64_t number = 0;
  for (std::size_t at = 0; at + sizeof(trace::FrameHead) <= bytes.size(); ++number) {
    trace::FrameHead head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const std::size_t left = bytes.size() - at - sizeof head;
    head.magic = trace::kFrameMagic;
    head.number = number;
    if (head.words > left / 8)
      head.words = static_cast<std::uint32_t>(left / 8);
    trace::Payload payload(head.words);
    if (!payload.empty())
      std::memcpy(payload.data(), bytes.data() + at + sizeof head, payload.size() * 8);
    head.check = trace::frameCheck(head, trace::hashOf(std::as_bytes(std::span(payload))));
    std::memcpy(bytes.data() + at, &head, sizeof head);
    at += sizeof head + payload.size() * 8;
  }
  return bytes;
}

/// A file in memory with a path.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &bytes) : file_(::memfd_create("trace", MFD_CLOEXEC)) {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t written = ::write(file_, bytes.data() + done, bytes.size() - done);
      if (written <= 0)
        break;
      done += static_cast<std::size_t>(written);
    }
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  std::string read() const {
    std::string bytes;
    char block[4096];
    ::lseek(file_, 0, SEEK_SET);
    for (ssize_t got; (got = ::read(file_, block, sizeof block)) > 0;)
      bytes.append(block, static_cast<std::size_t>(got));
    return bytes;
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
  int file_;
};

} // namespace cupr::test

#endif

/// Writing with plain system calls. A write beyond the process's file-size limit raises
/// SIGXFSZ, and one to a closed pipe SIGPIPE; both would end the traced program, so they
/// are held back around the write.
#include "output.h"

#include "devicelib/abi/signals_held_back.h"
#include "frame.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>

namespace cupr::trace {

namespace {

bool isTrace(const OwnFile &file) {
  std::uint32_t magic = 0;
  return file.readStart(&magic, sizeof magic) == sizeof magic && magic == kFrameMagic;
}

} // namespace

Output::Output(std::string path, Existing existing, unsigned mode) : path_(std::move(path)) {
  if ((openError_ = file_.open(path_, O_RDWR | O_CREAT, mode)) != 0)
    return;
  const struct stat &there = file_.status();
  if (!S_ISREG(there.st_mode) && !S_ISCHR(there.st_mode) && !S_ISFIFO(there.st_mode))
    openError_ = ENOTSUP;
  else if (existing == Existing::MayBeReplacedIfTrace && S_ISREG(there.st_mode) && there.st_size != 0 &&
           !isTrace(file_))
    openError_ = EEXIST;
  else
    openError_ = file_.truncate(0);
  if (openError_ != 0)
    file_.close();
}

int Output::append(const Payload &payload, std::uint64_t hash) {
  if (!file_.isOpen())
    return EBADF;
  FrameHead head;
  head.words = static_cast<std::uint32_t>(payload.size());
  head.number = messages_;
  head.check = frameCheck(head, hash);
  iovec parts[2] = {{&head, sizeof head},
                    {const_cast<std::uint64_t *>(payload.data()), payload.size() * sizeof payload[0]}};
  int error;
  {
    const abi::SignalsHeldBack held;
    error = payload.size() > UINT32_MAX ? EFBIG : file_.write(parts, 2);
  }
  if (error != 0) {
    // Best effort: a reader copes with a frame that is cut off.
    file_.truncate(offset_);
    close();
    return error;
  }
  offset_ += sizeof head + payload.size() * sizeof payload[0];
  ++messages_;
  return 0;
}

std::optional<unsigned> fileMode(const std::string &octal) {
  unsigned mode = 0;
  const char *const last = octal.data() + octal.size();
  const auto [end, error] = std::from_chars(octal.data(), last, mode, 8);
  return error == std::errc() && end == last && mode <= 0777 && (mode & 0200) != 0 ? std::optional(mode)
                                                                                   : std::nullopt;
}

const char *outputProblem(int error) {
  switch (error) {
  case EBADF:
    return "the program has closed its descriptor";
  case EEXIST:
    return "there is a file of that name that is no trace; remove it, or say CUPR_FORCE=1 (cupr-run -f) to "
           "replace it";
  case ENOTSUP:
    return "it is neither a file nor a pipe";
  case ETIMEDOUT:
    return "nobody empties the pipe";
  default:
    return std::strerror(error);
  }
}

} // namespace cupr::trace

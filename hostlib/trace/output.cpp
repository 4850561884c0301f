/// Writing with plain system calls. A write beyond the process's file-size limit raises
/// SIGXFSZ, and one to a closed pipe SIGPIPE; both would end the traced program, so they
/// are held back around the write.
#include "output.h"

#include "frame.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

namespace cupr::trace {

namespace {

/// Holds SIGXFSZ and SIGPIPE of this thread back, and swallows those that its own writes
/// raise. Both go to the thread that writes.
class SignalsHeldBack {
public:
  SignalsHeldBack() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    sigaddset(&signals_, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    // One that is already pending is the program's own: leave it.
    for (const int signal : {SIGXFSZ, SIGPIPE})
      if (sigismember(&pending, signal) == 1)
        sigdelset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }

  ~SignalsHeldBack() {
    const timespec now{0, 0};
    while (sigtimedwait(&signals_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t signals_;
  sigset_t before_;
};

/// Writes all of it. Returns 0 or the error number.
int writeAll(int file, iovec *parts, int count) {
  while (count > 0) {
    const ssize_t written = ::writev(file, parts, count);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return errno;
    }
    std::size_t left = static_cast<std::size_t>(written);
    while (count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --count;
    }
    if (count > 0) {
      parts->iov_base = static_cast<char *>(parts->iov_base) + left;
      parts->iov_len -= left;
    }
  }
  return 0;
}

} // namespace

Output::Output(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0)
    openError_ = errno;
}

Output::~Output() { close(); }

int Output::append(const Payload &payload, std::uint64_t hash) {
  if (file_ < 0)
    return EBADF;
  FrameHead head;
  head.words = static_cast<std::uint32_t>(payload.size());
  head.number = messages_;
  head.check = frameCheck(head, hash);
  iovec parts[2] = {{&head, sizeof head},
                    {const_cast<std::uint64_t *>(payload.data()), payload.size() * sizeof payload[0]}};
  int error;
  {
    SignalsHeldBack held;
    error = payload.size() > UINT32_MAX ? EFBIG : writeAll(file_, parts, 2);
  }
  if (error != 0) {
    // Best effort: a reader copes with a frame that is cut off.
    if (::ftruncate(file_, static_cast<off_t>(offset_)) != 0) {
    }
    close();
    return error;
  }
  offset_ += sizeof head + payload.size() * sizeof payload[0];
  ++messages_;
  return 0;
}

int Output::close() {
  if (file_ < 0)
    return 0;
  const int file = file_;
  file_ = -1;
  return ::close(file) == 0 || errno == EINTR ? 0 : errno;
}

} // namespace cupr::trace

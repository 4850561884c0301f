#include "own_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cupr::trace {

namespace {

/// How long a pipe may take nothing.
constexpr int kPipeMilliseconds = 30'000;

/// Descriptors lie from here on, or as high as the limit of the process lets them. Much higher would cost
/// memory: the kernel has a table up to the highest one, which fork copies.
constexpr rlim_t kHighest = 4096;
/// Room below the limit for the few files that one process has open.
constexpr rlim_t kRoom = 32;

/// Moves the descriptor up, if it can be.
int raised(int file) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= 2 * kRoom)
    return file;
  const int high =
      ::fcntl(file, F_DUPFD_CLOEXEC, static_cast<int>(std::min(limit.rlim_cur, kHighest) - kRoom));
  if (high < 0)
    return file;
  ::close(file);
  return high;
}

} // namespace

int OwnFile::open(const std::string &path, int flags, mode_t mode) {
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0 && S_ISFIFO(there.st_mode))
    flags = (flags & ~O_ACCMODE) | O_RDWR;
  // O_NONBLOCK: what stands there may have become a FIFO. A regular file does not mind.
  const int file = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode);
  return file < 0 ? errno : adopt(file);
}

int OwnFile::adopt(int file) {
  file_ = raised(file);
  if (::fstat(file_, &status_) == 0)
    return 0;
  const int error = errno;
  ::close(file_);
  file_ = -1;
  return error;
}

bool OwnFile::isOurs() const {
  struct stat now{};
  return file_ >= 0 && ::fstat(file_, &now) == 0 && now.st_dev == status_.st_dev &&
         now.st_ino == status_.st_ino;
}

int OwnFile::write(iovec *parts, int count) {
  while (count > 0) {
    if (!isOurs())
      return EBADF;
    const ssize_t written = ::writev(file_, parts, count);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      if (errno != EAGAIN)
        return errno;
      pollfd room{file_, POLLOUT, 0};
      if (::poll(&room, 1, kPipeMilliseconds) == 0)
        return ETIMEDOUT;
      continue;
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

int OwnFile::send(const void *from, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    if (!isOurs())
      return EBADF;
    const ssize_t sent = ::send(file_, static_cast<const char *>(from) + done, bytes - done, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return errno;
    done += sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  return 0;
}

int OwnFile::receive(void *to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    if (!isOurs())
      return EBADF;
    const ssize_t got = ::recv(file_, static_cast<char *>(to) + done, bytes - done, 0);
    if (got == 0)
      return EPIPE;
    if (got < 0 && errno != EINTR)
      return errno;
    done += got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  return 0;
}

int OwnFile::truncate(std::size_t length) {
  if (!isOurs())
    return EBADF;
  return !S_ISREG(status_.st_mode) || ::ftruncate(file_, static_cast<off_t>(length)) == 0 ? 0 : errno;
}

int OwnFile::synchronise() {
  if (!isOurs())
    return EBADF;
  return !S_ISREG(status_.st_mode) || ::fsync(file_) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

int OwnFile::lock() {
  if (!isOurs())
    return EBADF;
  return ::flock(file_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

std::size_t OwnFile::readStart(void *to, std::size_t bytes) const {
  const ssize_t length = isOurs() ? ::pread(file_, to, bytes, 0) : -1;
  return length < 0 ? 0 : static_cast<std::size_t>(length);
}

std::size_t OwnFile::readEntries(void *to, std::size_t bytes) const {
  const long length = isOurs() ? ::syscall(SYS_getdents64, file_, to, bytes) : -1;
  return length < 0 ? 0 : static_cast<std::size_t>(length);
}

void OwnFile::rewind() const {
  if (isOurs())
    ::lseek(file_, 0, SEEK_SET);
}

int OwnFile::close() {
  if (file_ < 0)
    return 0;
  const bool ours = isOurs();
  const int file = file_;
  file_ = -1;
  if (!ours)
    return EBADF;
  return ::close(file) == 0 || errno == EINTR ? 0 : errno;
}

} // namespace cupr::trace

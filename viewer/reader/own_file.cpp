/// OwnFile where nobody else has files: the one that an export becomes a trace in is the worker's (viewer/src/reader/files.ts).
#include "hostlib/trace/own_file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace cupr::trace {

int OwnFile::open(const std::string &path, int flags, mode_t mode) {
  file_ = ::open(path.c_str(), flags, mode);
  return file_ >= 0 && ::fstat(file_, &status_) == 0 ? 0 : errno;
}

int OwnFile::write(iovec *parts, int count) {
  for (; count > 0; ++parts, --count)
    if (::write(file_, parts->iov_base, parts->iov_len) != static_cast<ssize_t>(parts->iov_len))
      return EIO; // all of it is taken, or nothing
  return 0;
}

int OwnFile::truncate(std::size_t length) {
  return ::ftruncate(file_, static_cast<off_t>(length)) == 0 ? 0 : errno;
}

int OwnFile::synchronise() { return 0; }
int OwnFile::lock() { return 0; }

std::size_t OwnFile::readStart(void *to, std::size_t bytes) const {
  const ssize_t length = ::pread(file_, to, bytes, 0);
  return length < 0 ? 0 : static_cast<std::size_t>(length);
}

int OwnFile::close() {
  const int file = file_;
  file_ = -1;
  return file < 0 || ::close(file) == 0 ? 0 : errno;
}

} // namespace cupr::trace

/// A file that is open in a program that knows nothing of it.
///
/// Programs close descriptors that they did not open (a daemon closes all of them), and the next file that
/// they open gets the number. So ours lies high, where loops over small numbers and select() don't come, and
/// what a program opens gets the number that it would get without us. And since even a high number may be
/// closed and used again, each use asks first whether the descriptor still leads to the file that was opened.
#ifndef CUPR_TRACE_OWN_FILE_H
#define CUPR_TRACE_OWN_FILE_H

#include <cstddef>
#include <string>
#include <sys/stat.h>
#include <sys/uio.h>

namespace cupr::trace {

/// Not for several threads at once. Functions that can fail return 0 or the error number: EBADF where the
/// descriptor is the program's by now, or closed, after which nothing more is done with it.
class OwnFile {
public:
  OwnFile() = default;
  ~OwnFile() { close(); }
  OwnFile(const OwnFile &) = delete;
  OwnFile &operator=(const OwnFile &) = delete;

  /// As open(2), close-on-exec. A FIFO is opened for reading as well, which waits for nobody.
  int open(const std::string &path, int flags, mode_t mode);
  /// Takes over one that is open, close-on-exec, whatever becomes of its number.
  int adopt(int file);
  /// All of it. A pipe that nobody empties is waited for with a limit.
  int write(iovec *parts, int count);
  /// Only regular files have a length.
  int truncate(std::size_t length);
  /// Waits until what was written has reached the disk, where there is one.
  int synchronise();
  /// Takes flock's lock, which belongs to the open file: EWOULDBLOCK where another process has it.
  int lock();
  int close();
  /// All of it to a socket; raises no signal. EPIPE where nobody is at its other end.
  int send(const void *from, std::size_t bytes);
  /// All of it from a socket, for as long as that takes.
  int receive(void *to, std::size_t bytes);

  bool isOpen() const { return file_ >= 0; }
  /// What was opened.
  const struct stat &status() const { return status_; }
  /// Reads from the start, at most so many bytes. Returns how many; the file must be open for reading.
  std::size_t readStart(void *to, std::size_t bytes) const;
  /// Of a folder, from where the last call ended: what getdents64(2) gives, at most so many bytes. Returns how many; 0: there is no more.
  std::size_t readEntries(void *to, std::size_t bytes) const;
  /// The next entry is the first.
  void rewind() const;

private:
  bool isOurs() const;

  int file_ = -1;
  struct stat status_{};
};

} // namespace cupr::trace

#endif

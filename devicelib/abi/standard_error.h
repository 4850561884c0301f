/// What the runtime and the CPU device say to the user: whole lines on the process's standard error.
///
/// Descriptor 2 is the program's. It may be closed, and the next file that the program opens gets the number; or
/// the program redirects it to a file whose content is its own affair. So a line is written only where the
/// descriptor leads to what it led to when the process began, past the program's buffers, and with a limit to the
/// time for which a pipe that nobody empties is waited for.
#ifndef CUPR_ABI_STANDARD_ERROR_H
#define CUPR_ABI_STANDARD_ERROR_H

#include "signals_held_back.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <new>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace cupr {
namespace abi {

class StandardError {
public:
  StandardError() { remember(); }

  /// What descriptor 2 is from now on is standard error. For tests.
  void remember() { isKnown_ = ::fstat(2, &known_) == 0; }

  void write(const std::string &text) const { write(text.data(), text.size()); }
  /// All of the text, with one write where that is possible. Leaves errno as it is.
  void write(const char *text, std::size_t bytes) const {
    const int before = errno;
    const SignalsHeldBack held;
    for (std::size_t done = 0; done < bytes && isStillThat();) {
      pollfd room{2, POLLOUT, 0};
      if (::poll(&room, 1, kMilliseconds) == 0)
        break;
      const ssize_t written = ::write(2, text + done, bytes - done);
      if (written > 0)
        done += static_cast<std::size_t>(written);
      else if (errno != EINTR && errno != EAGAIN)
        break;
    }
    errno = before;
  }

private:
  /// How long a pipe may take nothing.
  static constexpr int kMilliseconds = 1000;

  bool isStillThat() const {
    struct stat now;
    return isKnown_ && ::fstat(2, &now) == 0 && now.st_dev == known_.st_dev && now.st_ino == known_.st_ino;
  }

  struct stat known_;
  bool isKnown_;
};

/// The process's. It is there before any other object of the program.
__attribute__((init_priority(101))) inline StandardError standardError;

/// Says a line, as printf does; the line ends with \n. That there is no memory can be said: only long lines take
/// some, and are cut where there is none.
__attribute__((format(printf, 1, 2))) inline void say(const char *format, ...) {
  char few[1024];
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(few, sizeof few, format, arguments);
  va_end(arguments);
  const auto bytes = static_cast<std::size_t>(length > 0 ? length : 0);
  const std::unique_ptr<char[]> many(bytes < sizeof few ? nullptr : new (std::nothrow) char[bytes + 1]);
  if (many) {
    std::vsnprintf(many.get(), bytes + 1, format, again);
    standardError.write(many.get(), bytes);
  } else {
    standardError.write(few, bytes < sizeof few ? bytes : sizeof few - 1);
  }
  va_end(again);
}

} // namespace abi
} // namespace cupr

#endif

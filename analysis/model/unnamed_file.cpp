/// Files without a name.
#include "unnamed_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace cupr::analysis {

namespace {

[[noreturn]] void fail(const std::string &what) {
  throw std::runtime_error("temporary file: " + what + ": " + std::strerror(errno) +
                           "; TMPDIR names the folder, --memory says how much is kept out of it");
}

} // namespace

UnnamedFile unnamedFile() {
  const char *folder = std::getenv("TMPDIR");
  std::string name = std::string(folder && *folder ? folder : "/tmp") + "/cupranalyze-XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0)
    fail(name);
  ::unlink(name.c_str());
  UnnamedFile file(::fdopen(descriptor, "w+b"));
  if (!file)
    fail(name);
  return file;
}

void writeAll(std::FILE *file, const void *data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file) != bytes)
    fail("cannot write");
}

void readAll(std::FILE *file, void *data, std::size_t bytes) {
  if (std::fread(data, 1, bytes, file) != bytes)
    fail("cannot read");
}

void flushAll(std::FILE *file) {
  if (std::fflush(file) != 0)
    fail("cannot write");
}

void readAllAt(std::FILE *file, std::uint64_t offset, void *data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(::fileno(file), static_cast<char *>(data) + done, bytes - done,
                                static_cast<off_t>(offset + done));
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (got == 0 || errno != EINTR)
      fail("cannot read");
  }
}

} // namespace cupr::analysis

/// A temporary name, a rename, and a handler that removes what is unfinished.
#include "pending_file.h"

#include "hostlib/trace/output.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace cupr::analysis {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};

/// For the handler, which may call unlink and little else. Null: there is nothing to remove.
std::array<const char *volatile, 32> unfinished;

void removeAndDie(int signal) {
  for (const char *const path : unfinished)
    if (path)
      ::unlink(path);
  // SA_RESETHAND has brought the default action back: it ends the program once the handler returns.
  ::raise(signal);
}

} // namespace

PendingFile::PendingFile(std::string name) : name_(std::move(name)) {
  std::error_code none;
  const std::filesystem::path target = std::filesystem::canonical(name_, none);
  if (!none && !std::filesystem::is_regular_file(target)) {
    path_ = name_;
    removes_ = false;
    return;
  }
  path_ = fmt::format("{}.part{}", none ? name_ : target.string(), ::getpid());
  ::unlink(path_.c_str()); // left over by a process of this number that was killed
  for (const char *volatile &place : unfinished)
    if (!place) {
      place_ = &place;
      place = path_.c_str();
      break;
    }
  struct sigaction action{};
  action.sa_handler = removeAndDie;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kSignals) {
    struct sigaction before{};
    // One that is ignored (nohup) stays so.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
  // Made here, where a signal finds its name, with its mode, and empty: whoever writes it opens it. Where it
  // can't be made, that says why.
  const char *const wish = std::getenv("CUPR_FILE_MODE");
  const unsigned mode = trace::fileMode(wish ? wish : "").value_or(trace::kPrivateMode);
  if (const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); file >= 0)
    ::close(file);
}

PendingFile::~PendingFile() {
  if (removes_)
    ::unlink(path_.c_str());
  if (place_)
    *place_ = nullptr;
}

void PendingFile::commit() {
  if (!removes_)
    return;
  std::error_code none;
  const std::filesystem::path target = std::filesystem::canonical(name_, none);
  if (std::rename(path_.c_str(), none ? name_.c_str() : target.c_str()) != 0)
    throw std::runtime_error(
        fmt::format("can't write '{}': {}; choose another place with -o", name_, std::strerror(errno)));
  removes_ = false;
}

} // namespace cupr::analysis

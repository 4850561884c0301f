/// A temporary name, a rename, and a handler that removes what is unfinished.
#include "pending_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace cupr::analysis {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

/// For the handler, which may call unlink and little else. Null: there is nothing to remove.
const char *volatile unfinished = nullptr;

void removeAndDie(int signal) {
  if (const char *path = unfinished)
    ::unlink(path);
  // SA_RESETHAND has brought the default action back: it ends the program once the handler returns.
  ::raise(signal);
}

} // namespace

PendingFile::PendingFile(std::string name)
    : name_(std::move(name)), path_(fmt::format("{}.part{}", name_, ::getpid())) {
  unfinished = path_.c_str();
  struct sigaction action{};
  action.sa_handler = removeAndDie;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kSignals) {
    struct sigaction before{};
    // One that is ignored (nohup) stays so.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
}

PendingFile::~PendingFile() {
  if (unfinished) {
    ::unlink(path_.c_str());
    unfinished = nullptr;
  }
}

void PendingFile::commit() {
  if (std::rename(path_.c_str(), name_.c_str()) != 0)
    throw std::runtime_error(
        fmt::format("can't write '{}': {}; choose another place with -o", name_, std::strerror(errno)));
  unfinished = nullptr;
}

} // namespace cupr::analysis

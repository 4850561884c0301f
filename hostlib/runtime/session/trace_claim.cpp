/// The lock is flock's: it belongs to the open file, so it is there as long as the process, however that
/// ends. On a file system without locks there is none, and the rest holds.
#include "trace_claim.h"

#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/settings/settings.h"
#include "hostlib/trace/own_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace cupr::host {
namespace {

/// Holds the lock, as long as the process lives.
trace::OwnFile &claimed() {
  static auto *const file = new trace::OwnFile;
  return *file;
}

std::string absolute(const std::string &path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

bool isListed(const std::string &path) {
  const std::string list = Settings::textFromEnvironment(abi::SettingName::CUPR_TRACE_LIST);
  if (list.empty())
    return false;
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);)
    if (line == absolute(path))
      return true;
  return false;
}

enum class Claim { Ours, Taken };

Claim claim(const std::string &path, unsigned mode, bool mayReplace) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) // /dev/null is everybody's
    return Claim::Ours;
  if (exists && (!mayReplace || isListed(path)))
    return Claim::Taken;
  if (const int error = claimed().open(path, O_WRONLY | O_CREAT | (mayReplace ? 0 : O_EXCL), mode);
      error != 0)
    return error == EEXIST ? Claim::Taken : Claim::Ours; // the writer will say why
  if (claimed().lock() == EWOULDBLOCK) {
    claimed().close();
    return Claim::Taken;
  }
  return Claim::Ours;
}

} // namespace

std::string claimTracePath(const trace::TracePath &wish, unsigned mode) {
  if (claim(wish.path, mode, !wish.isOurName) == Claim::Ours)
    return wish.path;
  const std::string number = std::to_string(::getpid());
  const bool isNumbered = wish.path.find("." + number) != std::string::npos;
  const std::string own = isNumbered ? wish.path : trace::withWord(wish.path, number);
  std::string path = own;
  for (unsigned count = 2; path == wish.path || claim(path, mode, /*mayReplace=*/false) == Claim::Taken;
       ++count)
    path = trace::withWord(own, std::to_string(count));
  if (!wish.isOurName)
    message("'{}' is the trace of another program of this run; that of process {} is '{}'", wish.path, number,
            path);
  return path;
}

void listTrace(const std::string &path) {
  const std::string list = Settings::textFromEnvironment(abi::SettingName::CUPR_TRACE_LIST);
  if (list.empty())
    return;
  const std::string line = absolute(path) + "\n";
  const int file = ::open(list.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  // One write to a file that is open for appending: lines of several processes do not mix.
  if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    message("CUPR_TRACE_LIST is '{}', which can't be written: {}", list, std::strerror(errno));
  if (file >= 0)
    ::close(file);
}

void forgetClaim() { claimed().close(); }

} // namespace cupr::host

#include "trace_registry.h"

namespace cupr::analysis {

TraceRegistry::Version TraceRegistry::versionOf(const std::string &path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return {}; // to open it will say why
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

std::shared_ptr<OpenTrace> TraceRegistry::open(const std::string &path) {
  const Version version = versionOf(path);
  const auto found = known_.find(path);
  if (found != known_.end() && found->second.version == version)
    return found->second.trace;
  if (found != known_.end())
    known_.erase(found);
  auto trace = std::make_shared<OpenTrace>(path);
  known_[path] = {version, trace};
  return trace;
}

} // namespace cupr::analysis

/// The file that the process runs.
#ifndef CUPR_RUNTIME_PROGRAM_PATH_H
#define CUPR_RUNTIME_PROGRAM_PATH_H

#include <filesystem>
#include <system_error>

namespace cupr::host {

/// Empty: the system doesn't say.
inline std::filesystem::path programPath() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

} // namespace cupr::host

#endif

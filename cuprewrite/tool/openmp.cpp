#include "openmp.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace fs = std::filesystem;

namespace cupr::tool {

OpenMp OpenMp::find(const std::string &llvmParent) {
  OpenMp newest;
  int newestVersion = 0;
  std::error_code missing;
  for (const fs::directory_entry &llvm : fs::directory_iterator(llvmParent, missing)) {
    const std::string name = llvm.path().filename().string(), prefix = "llvm-";
    int version = 0;
    if (!name.starts_with(prefix) ||
        std::from_chars(name.data() + prefix.size(), name.data() + name.size(), version).ec != std::errc() ||
        version <= newestVersion || !fs::exists(llvm.path() / "lib/libomp.so"))
      continue;
    for (const fs::directory_entry &clang : fs::directory_iterator(llvm.path() / "lib/clang", missing))
      if (fs::exists(clang.path() / "include/omp.h")) {
        newest = {(clang.path() / "include").string(), (llvm.path() / "lib").string()};
        newestVersion = version;
      }
  }
  return newest;
}

bool OpenMp::isWanted(const DriverOptions &options) {
  const auto isFlag = [](const std::string &flag) {
    return flag == "-fopenmp" || flag.starts_with("-fopenmp=") || flag == "-lomp";
  };
  return std::any_of(options.hostFlags.begin(), options.hostFlags.end(), isFlag) ||
         std::any_of(options.linkInputs.begin(), options.linkInputs.end(), isFlag);
}

} // namespace cupr::tool

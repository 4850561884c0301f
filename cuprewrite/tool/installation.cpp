#include "installation.h"

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace cupr::tool {

Installation Installation::find() {
  Installation result;
  std::error_code ignored;
  result.prefix = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path().string();
  const char *const path = std::getenv("CUDA_PATH");
  result.cuda = path && *path ? path : "/usr/local/cuda";
  return result;
}

std::string Installation::problem() const {
  if (!fs::exists(cuda + "/include/cuda_runtime.h"))
    return "no CUDA toolkit at " + cuda + ": install CUDA 13 there, or set CUDA_PATH";
  if (!fs::exists(library("libcupr.a")))
    return "no runtime library at " + library("libcupr.a") +
           ": build the project (make build), or reinstall it";
  return "";
}

std::vector<std::string> Installation::cudaFlags() const {
  // CUDA 13 keeps CUB, Thrust and libcu++ in include/cccl, which only nvcc searches by itself.
  return {"--cuda-path=" + cuda, "-Wno-unknown-cuda-version", "-isystem", cuda + "/include/cccl", "-isystem",
          includeFolder(), "-include", kCompatibilityHeader};
}

std::vector<std::string> Installation::linkFlags() const {
  std::vector<std::string> flags{"-L" + prefix + "/lib", "-lcupr", "-lpthread", "-ldl", "-lrt"};
  // For programs that call the driver themselves, and only for them: libcupr's own launch calls come first.
  if (const std::string stubs = cuda + "/lib64/stubs"; fs::exists(stubs + "/libcuda.so"))
    for (const std::string &flag : {"-L" + stubs, std::string("-Wl,--push-state,--as-needed"),
                                    std::string("-lcuda"), std::string("-Wl,--pop-state")})
      flags.push_back(flag);
  return flags;
}

} // namespace cupr::tool

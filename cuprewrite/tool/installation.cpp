#include "installation.h"

#include "file_text.h"
#include "openmp.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <xxhash.h>

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

std::string Installation::nvccVersion() const {
  // #define CUDART_VERSION  13000
  const std::string header = fileText(cuda + "/include/cuda_runtime_api.h");
  constexpr std::string_view kMacro = "#define CUDART_VERSION";
  const std::size_t at = header.find(kMacro);
  const long version =
      at == std::string::npos ? 0 : std::strtol(header.c_str() + at + kMacro.size(), nullptr, 10);
  const std::string release = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  return fmt::format("nvcc: NVIDIA (R) Cuda compiler driver\n"
                     "Cuda compilation tools, release {0}, V{0}.0\n",
                     release);
}

std::string Installation::fingerprint() const {
  std::string state;
  for (const std::string &path :
       {program("cupr++"), program("cuprewrite"), library("libcupr.a"), library("cupr-pass.so"),
        library("cupr-retarget.so"), library("cupr-device.bc")}) {
    std::error_code missing;
    state += fmt::format("{} {}\n", fs::file_size(path, missing),
                         fs::last_write_time(path, missing).time_since_epoch().count());
  }
  return fmt::format("{:016x}", XXH3_64bits(state.data(), state.size()));
}

std::vector<std::string> Installation::cudaFlags() const {
  // CUDA 13 keeps CUB, Thrust and libcu++ in include/cccl, which only nvcc searches by itself.
  std::vector<std::string> flags{"--cuda-path=" + cuda, "-fplugin=" + library("cupr-language.so"),
                                 "-Wno-unknown-cuda-version", "-isystem", cuda + "/include/cccl"};
  // A loop that `#pragma unroll` does not unroll, as in CUB: nvcc says nothing.
  flags.push_back("-Wno-pass-failed");
  // nvcc reads memory again that a pointer of another type may have written.
  flags.insert(flags.end(), {"-Xarch_device", "-fno-strict-aliasing"});
  // It hands on values that are not set: __shfl_sync(mask, value, 0), of which one lane alone has set its own.
  flags.insert(flags.end(), {"-Xclang", "-no-enable-noundef-analysis"});
  for (const std::string &flag : compatibilityFlags())
    flags.push_back(flag);
  return flags;
}

std::vector<std::string> Installation::compatibilityFlags() const {
  std::vector<std::string> flags{"-iquote",       quotedFolder(), "-isystem",
                                 includeFolder(), "-include",     "cupr/compatibility.h"};
  for (const std::string &flag : hostFlags())
    flags.push_back(flag);
  flags.insert(flags.end(), {"-idirafter", includeFolder() + "/cupr/gone"});
  return flags;
}

std::vector<std::string> Installation::hostFlags(bool isC) const {
  // nvcc and gcc warn of them; clang lets nobody off who does not say so.
  std::vector<std::string> flags;
  if (isC)
    flags = {"-Wno-error=implicit-function-declaration", "-Wno-error=incompatible-pointer-types",
             "-Wno-error=implicit-int", "-Wno-error=int-conversion"};
  else
    flags = {"-Wno-error=register", "-Wno-error=c++11-narrowing", "-Wno-error=reserved-user-defined-literal"};
  if (const OpenMp openMp = OpenMp::find(); !openMp.headerFolder.empty())
    flags.insert(flags.end(), {"-idirafter", openMp.headerFolder});
  return flags;
}

/// For programs that call the driver themselves, and only for them: libcupr's own launch calls come first.
std::vector<std::string> Installation::driverFlags() const {
  const std::string stubs = cuda + "/lib64/stubs";
  if (!fs::exists(stubs + "/libcuda.so"))
    return {};
  return {"-L" + stubs, "-Wl,--push-state,--as-needed", "-lcuda", "-Wl,--pop-state"};
}

std::vector<std::string> Installation::linkFlags() const {
  std::vector<std::string> flags{"-L" + prefix + "/lib", "-lcupr", "-lpthread", "-ldl", "-lrt"};
  for (const std::string &flag : driverFlags())
    flags.push_back(flag);
  return flags;
}

std::vector<std::string> Installation::sharedLinkFlags() const {
  std::vector<std::string> flags{"-L" + prefix + "/lib", "-lcupr-runtime", "-lcupr-lane",
                                 "-Wl,-rpath," + prefix + "/lib"};
  for (const std::string &flag : driverFlags())
    flags.push_back(flag);
  return flags;
}

} // namespace cupr::tool

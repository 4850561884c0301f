#include "rewriting.h"

#include "message.h"
#include "translation_unit.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

namespace fs = std::filesystem;

namespace cupr::tool {

Command rewriteCommand(const Installation &installation, const DriverOptions &options,
                       const std::vector<std::string> &sources, const std::string &root,
                       const std::string &folder, const std::vector<std::string> &more) {
  Command command{installation.program("cuprewrite"), "-q", "-o", folder, "--root", root};
  command.add(more).add(sources);
  if (options.relocatable)
    command.add("--device-linked");
  if (!options.keepSignature.empty())
    command.add({"--keep-signature", options.keepSignature});
  command.add({"--", options.optimisation});
  if (options.relocatable)
    command.add("-fgpu-rdc");
  // Flags with the original's includes: the copies do not exist yet.
  for (const std::string &include : options.includes)
    command.add("-I").add(include);
  command.add(options.cudaFlags());
  for (const std::string &flag : options.hostFlags)
    command.add({"-Xcompiler", flag});
  for (const GpuTarget &target : options.targets())
    command.add("--cuda-gpu-arch=" + target.architecture);
  return command;
}

int publishCopies(const std::string &from, const std::string &to) {
  std::error_code error;
  for (const auto &entry : fs::recursive_directory_iterator(from, error)) {
    if (!entry.is_regular_file())
      continue;
    const fs::path path = fs::path(to) / entry.path().lexically_relative(from);
    const std::string whole = fmt::format("{}.{}.{}", path.string(), getpid(), gettid());
    fs::create_directories(path.parent_path(), error);
    if (!error)
      fs::copy_file(entry.path(), whole, fs::copy_options::overwrite_existing, error);
    if (!error)
      fs::rename(whole, path, error);
    if (error)
      break;
  }
  return error ? fail(fmt::format("--keep={}: {}", to, error.message())) : 0;
}

int keepTogether(const Installation &installation, const DriverOptions &options, Execution &execution,
                 const std::string &folder) {
  std::map<std::string, std::vector<std::string>> byRoot;
  for (const std::string &source : options.cudaSources)
    byRoot[mirrorRoot(source, options.root)].push_back(source);
  std::size_t index = 0;
  for (const auto &[root, sources] : byRoot) {
    const std::string copies = fmt::format("{}/kept{}", folder, index++);
    if (const int code = execution.run("keep", rewriteCommand(installation, options, sources, root, copies)))
      return code;
    if (!execution.shows())
      if (const int code = publishCopies(copies, options.keepFolder))
        return code;
  }
  return 0;
}

} // namespace cupr::tool

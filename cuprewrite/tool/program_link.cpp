#include "program_link.h"

#include "devicelib/abi/version.h"
#include "elf_section.h"
#include "message.h"
#include "openmp.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

/// The archives that -l names, where -L says, are searched for device code too; libraries without an archive
/// hold none.
std::vector<std::string> filesAmong(const std::vector<std::string> &linkInputs) {
  std::vector<std::string> folders, files;
  for (const std::string &input : linkInputs)
    if (input.starts_with("-L"))
      folders.push_back(input.substr(2));
  for (const std::string &input : linkInputs) {
    if (!input.starts_with("-"))
      files.push_back(input);
    else if (input.starts_with("-l"))
      for (const std::string &folder : folders)
        if (const std::string path = fmt::format("{}/lib{}.a", folder, input.substr(2)); fs::exists(path)) {
          files.push_back(path);
          break;
        }
  }
  return files;
}

} // namespace

ProgramLink::ProgramLink(const Installation &installation, const DriverOptions &options, Execution &execution,
                         std::string folder)
    : installation_(installation), options_(options), execution_(execution), folder_(std::move(folder)),
      output_(!options.linker.empty()                               ? Command(options.linker).output()
              : !options.output.empty()                             ? options.output
              : options.action == DriverOptions::Action::DeviceLink ? "a_dlink.o"
                                                                    : "a.out"),
      device_(installation, options, execution, folder_ + "/device") {}

/// The libraries of the toolkit that libcupr stands for, as flags or as files.
static bool isRuntime(const std::string &word) {
  const std::string name =
      word.starts_with("-l") ? "lib" + word.substr(2) : fs::path(word).filename().string();
  return !name.starts_with("-") && (name.starts_with("libcudart") || name.starts_with("libcudadevrt"));
}

/// Whether --link-with got a command that compiles only: cupr++ --link-with g++ stands for g++ in a build.
static bool linksNothing(const std::vector<std::string> &command) {
  static const std::string_view kinds[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version"};
  return std::any_of(command.begin(), command.end(), [](const std::string &word) {
    return std::find(std::begin(kinds), std::end(kinds), word) != std::end(kinds);
  });
}

Command ProgramLink::hostLink(const std::vector<std::string> &objects, Pass pass) const {
  const bool ours = options_.linker.empty();
  std::vector<std::string> words = ours ? options_.linkInputs : options_.linker;
  std::erase_if(words, isRuntime);
  Command link{ours ? "clang++-22" : words.front()};
  // The CPU device's __device__ variables lie in the program: at fixed addresses, traces of two runs
  // are the same to the byte.
  const auto chosen = [](const std::string &flag) {
    return flag == "-shared" || flag == "-pie" || flag == "-static-pie";
  };
  if (options_.device != TargetDevice::Gpu && std::none_of(words.begin(), words.end(), chosen))
    link.add("-no-pie");
  if (options_.verbose && ours)
    link.add("-v");
  link.add(objects).add(std::vector<std::string>(words.begin() + (ours ? 0 : 1), words.end()));
  if (ours && !options_.hostFlags.empty()) // -fopenmp and its like count for the link, too
    link.add("-Wno-unused-command-line-argument").add(options_.hostCompilerFlags());
  if (ours && OpenMp::isWanted(options_))
    link.add({"-lomp", "-L" + OpenMp::find().libraryFolder, installation_.library("libcupr-openmp.a")});
  const bool shared = std::find(words.begin(), words.end(), "-shared") != words.end();
  link.add(shared ? installation_.sharedLinkFlags() : installation_.linkFlags());
  link.add("-L" + installation_.cuda + "/lib64"); // nvcc's own folder: curand, cublas ...
  if (!options_.trace)
    link.add("-Wl,--defsym=cuprTraceDisabled=1");
  // Symbols that objects ask for, so that links without them say what is missing (abi/version.h): the first
  // link is to say what device code there is, and the runtime of a shared library can't define what isn't
  // loaded.
  std::string provided;
  for (const auto &[needed, symbol] : {std::pair{pass == Pass::First, CUPR_ABI_TEXT(CUPR_DEVICE_LINK_NEEDED)},
                                       std::pair{shared, CUPR_ABI_TEXT(CUPR_RUNTIME_NEEDED)},
                                       std::pair{shared, CUPR_ABI_TEXT(CUPR_INTERFACE_NEEDED)}})
    if (needed)
      provided += fmt::format("PROVIDE_HIDDEN({} = 0);\n", symbol);
  if (!provided.empty()) {
    const std::string script = folder_ + "/provided.ld";
    if (!execution_.shows())
      std::ofstream(script) << provided;
    link.add(script);
  }
  return ours ? link.add({"-o", output_}) : std::move(link);
}

int ProgramLink::build(const std::vector<std::string> &objects) {
  if (linksNothing(options_.linker))
    return execution_.shows() ? execution_.run("other", Command(options_.linker))
                              : Command(options_.linker).run(); // with our standard output
  if (options_.linker.empty() && OpenMp::isWanted(options_) && OpenMp::find().libraryFolder.empty())
    return fail("OpenMP needs LLVM's library, which is not installed: apt-get install libomp-22-dev");
  if (const int code = execution_.run("link", hostLink(objects, Pass::First)))
    return code;
  const bool hasParts =
      execution_.shows() ? options_.relocatable : elfSection(output_, kDevicePartSection).has_value();
  if (!hasParts)
    return 0;
  if (const int code = linkDevice(objects)) {
    std::error_code ignored;
    if (!execution_.shows())
      fs::remove(output_, ignored); // it can't run: its kernels are registered nowhere
    return code;
  }
  return execution_.run("clean",
                        Command{"objcopy", fmt::format("--remove-section={}", kDevicePartSection),
                                fmt::format("--remove-section={}", kDeviceNameSection),
                                fmt::format("--remove-section={}", kDeviceLinkedSection), "--wildcard",
                                fmt::format("--strip-symbol={}*", kDevicePartSymbol), output_});
}

/// The device code that the linked file carries, less what was device-linked before (-dlink).
int ProgramLink::takeParts(const std::string &from, std::vector<DevicePart> &parts) const {
  if (execution_.shows()) {
    // What archives hold is not known.
    for (const std::string &source : options_.cudaSources)
      for (const GpuTarget &target : options_.targets()) {
        DevicePart part;
        part.version = devicePartVersion();
        part.source = part.unit = source;
        part.target = target;
        part.optimisation = options_.optimisation;
        parts.push_back(std::move(part));
      }
    return 0;
  }
  std::string problem;
  parts = parseDeviceParts(elfSection(from, kDevicePartSection).value_or(""), problem);
  if (!problem.empty())
    return fail(fmt::format("the device code in the objects of {} {}: compile them again with this cupr++",
                            from, problem));
  const std::string linked = elfSection(from, kDeviceLinkedSection).value_or("");
  if (linked.empty())
    return 0;
  for (const DevicePart &part : parts)
    if (linked.find(linkedParts({part})) == std::string::npos)
      return fail(fmt::format(
          "the device code of {} is not among what was linked with -dlink: name all objects there, "
          "or leave that step out",
          part.source));
  parts.clear();
  return 0;
}

int ProgramLink::linkDevice(const std::vector<std::string> &objects) {
  std::vector<DevicePart> parts;
  if (const int code = takeParts(output_, parts); code || parts.empty())
    return code;
  const std::string folder = folder_ + "/device";
  fs::create_directory(folder);
  const std::string object = folder + "/device.o";
  if (const int code = device_.build(parts, object))
    return code;
  std::vector<std::string> all = objects;
  all.push_back(object);
  return execution_.run("link", hostLink(all, Pass::Second));
}

int ProgramLink::buildDeviceObject(const std::vector<std::string> &objects) {
  const std::string joined = folder_ + "/joined.o", folder = folder_ + "/device";
  fs::create_directory(folder);
  if (const int code = execution_.run(
          "join", Command{"ld", "-r", "-o", joined}.add(objects).add(filesAmong(options_.linkInputs))))
    return code;
  std::vector<DevicePart> parts;
  if (const int code = takeParts(joined, parts))
    return code;
  if (parts.empty())
    return fail("-dlink, but no file with device code that was compiled with -rdc=true or -dc");
  return device_.build(parts, output_);
}

} // namespace cupr::tool

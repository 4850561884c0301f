#include "device_link.h"

#include "command.h"
#include "devicelib/abi/version.h"
#include "message.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

namespace cupr::tool {
namespace {

/// Embeds the image and hands it over, with the list of kernels and variables that clang's host
/// objects leave in the section `llvm_offload_entries`. The CPU device's code has registered itself by then
/// (abi/cpu_device.h).
std::string registrationSource() {
  return fmt::format(R"(
asm(".section .nv_fatbin,\"a\",@progbits\n"
    ".balign 16\n"
    "cuprLinkedImage: .incbin \"image.fatbin\"\n"
    ".section {section},\"\",@progbits\n"
    ".incbin \"linked.txt\"\n"
    ".text\n");
extern "C" {{
extern const char cuprLinkedImage[] __attribute__((visibility("hidden")));
extern const char __start_llvm_offload_entries[] __attribute__((weak, visibility("hidden")));
extern const char __stop_llvm_offload_entries[] __attribute__((weak, visibility("hidden")));
void **{enter}(void *, const void *, const void *);
void __cudaUnregisterFatBinary(void **);
int atexit(void (*)(void));
extern const char {linked} __attribute__((weak, visibility("hidden")));
const char {linked} = 0;
}}
namespace {{
struct {{ unsigned magic, version; const void *image; void *unused; }} wrapper
    __attribute__((section(".nvFatBinSegment"), aligned(8))) = {{0x466243b1, 1, cuprLinkedImage, nullptr}};
void **handle;
void leave() {{ __cudaUnregisterFatBinary(handle); }}
__attribute__((constructor(160))) void enter() {{
  handle = {enter}(&wrapper, __start_llvm_offload_entries, __stop_llvm_offload_entries);
  atexit(leave);
}}
}}
)",
                     fmt::arg("section", kDeviceLinkedSection),
                     fmt::arg("linked", CUPR_ABI_TEXT(CUPR_DEVICE_LINK_NEEDED)),
                     fmt::arg("enter", CUPR_VERSIONED_TEXT(__cupr_register_linked_v)));
}

bool write(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file)
    fail(path + " can't be written");
  return static_cast<bool>(file);
}

DriverOptions decidedBy(const std::vector<DevicePart> &parts, DriverOptions options) {
  options.optimisation = programLevel(parts);
  for (const DevicePart &part : parts)
    for (const std::string &flag : part.assemblerFlags)
      if (std::find(options.assemblerFlags.begin(), options.assemblerFlags.end(), flag) ==
          options.assemblerFlags.end())
        options.assemblerFlags.push_back(flag);
  return options;
}

} // namespace

DeviceLink::DeviceLink(const Installation &installation, const DriverOptions &options, Execution &execution,
                       std::string folder)
    : installation_(installation), options_(options), execution_(execution), folder_(std::move(folder)) {}

int DeviceLink::build(const std::vector<DevicePart> &parts, const std::string &object) {
  std::string problem;
  const std::vector<GpuTarget> targets = linkedTargets(parts, options_.gpuTargets, problem);
  if (!problem.empty())
    return fail(problem);
  options_ = decidedBy(parts, options_);
  image_ = std::make_unique<DeviceImage>(installation_, options_, execution_, targets, folder_);
  if (const int code = image_->build([&](const DeviceCode &code) { return join(parts, code); }))
    return code;
  if (const int code = compileRegistration(parts))
    return code;
  Command join{"ld", "-r", "-o", object, file("registration.o")};
  if (options_.device != TargetDevice::Gpu)
    join.add(image_->cpuObject());
  return execution_.run("join", join);
}

/// Makes a program of the parts for one architecture: nothing but kernels and the host's variables is
/// visible any more, and code is optimised across the parts.
int DeviceLink::join(const std::vector<DevicePart> &parts, const DeviceCode &code) const {
  const std::string joined = code.partFile() + ".joined.bc";
  Command link{"llvm-link-22", "-o", joined};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].target.architecture != code.target().architecture)
      continue;
    const std::string path = fmt::format("{}{}.bc", code.partFile(), i);
    if (!execution_.shows() && !write(path, parts[i].bitcode))
      return 1;
    link.add(path);
  }
  if (const int failed = execution_.run("device link", link))
    return failed;
  const std::string optimise =
      options_.optimisation == "-O0" ? "globaldce" : fmt::format("lto<{}>", options_.optimisation.substr(1));
  return execution_.run("optimise",
                        Command{"opt-22", "-load-pass-plugin=" + installation_.library("cupr-pass.so"),
                                "-passes=cupr-whole-program," + optimise, joined, "-o", code.bitcode()});
}

int DeviceLink::compileRegistration(const std::vector<DevicePart> &parts) const {
  if (!execution_.shows() && !(write(file("registration.cpp"), registrationSource()) &&
                               write(file("linked.txt"), linkedParts(parts))))
    return 1;
  return execution_.run("registration", Command{"clang++-22", "-c", "-O1", "-fPIC", "-Wa,-I" + folder_,
                                                file("registration.cpp"), "-o", file("registration.o")});
}

} // namespace cupr::tool

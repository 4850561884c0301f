#include "device_code.h"

#include "elf_section.h"
#include "file_text.h"
#include "hook_assembly.h"
#include "latency_audit.h"
#include "occupancy.h"
#include "register_limit.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

/// Lines are for the site table. Assembling those in the GPU's code takes a fifth longer.
constexpr const char *kStripLines = "-cupr-strip-lines";

/// Whether kernels launch kernels there, or call the CUDA runtime otherwise.
bool callsDeviceRuntime(const std::string &ptx) { return ptx.find("__cudaCDP") != std::string::npos; }

} // namespace

DeviceCode::DeviceCode(const Installation &installation, const DriverOptions &options, Execution &execution,
                       GpuTarget target, std::string folder, bool forCpu)
    : installation_(installation), options_(options), execution_(execution), target_(std::move(target)),
      folder_(std::move(folder)), forCpu_(forCpu) {
  for (const std::string &machine : target_.machines)
    machines_.push_back({machine, {}});
}

int DeviceCode::build() {
  do {
    if (const int code = instrument())
      return code;
    if (const int code = compileForGpu())
      return code;
  } while (refusesIntervals());
  return 0;
}

bool DeviceCode::refusesIntervals() {
  if (options_.latency.empty() || !options_.trace || !forGpu() || execution_.shows())
    return false;
  const std::vector<TimedInterval> intervals = readIntervals(fileText(intervalList()));
  constexpr std::size_t kMostNamed = 8;
  std::set<std::string> said; // an access may be in several kernels
  bool any = false;
  for (const Machine &machine : machines_) {
    std::vector<std::vector<MachineInstruction>> functions;
    for (const std::string &bytes : elfSections(cubin(machine.architecture), ".text."))
      functions.push_back(readMachineCode(bytes));
    for (const RefusedInterval &refused : auditIntervals(intervals, functions))
      if (untimed_.insert(refused.interval.number).second) {
        any = true;
        if (said.insert(refused.interval.place).second && said.size() <= kMostNamed)
          execution_.print(
              fmt::format("cupr++: warning: {}: this access is recorded without its time: {} ({})\n",
                          refused.interval.place, refused.reason, machine.architecture));
      }
  }
  if (said.size() > kMostNamed)
    execution_.print(fmt::format("cupr++: warning: so are {} more\n", said.size() - kMostNamed));
  return any;
}

int DeviceCode::instrument() {
  std::string passes = "cupr-compatibility";
  if (options_.trace)
    passes += options_.optimisation == "-O0" ? ",cupr-instrument" : ",cupr-instrument-optimized";
  if (options_.trace && !forCpu_) // nobody else needs the module without hooks
    passes += ",cupr-link-hooks";
  Command instrument{"opt-22",
                     "-load-pass-plugin=" + installation_.library("cupr-pass.so"),
                     fmt::format("-passes={}", passes),
                     "-cupr-system-folder=/usr/",
                     "-cupr-system-folder=" + fs::weakly_canonical(installation_.cuda).string(),
                     "-cupr-system-folder=" + installation_.cuda,
                     "-cupr-system-folder=" + installation_.includeFolder()};
  instrument.add(options_.recording.passOptions());
  if (!options_.latency.empty())
    instrument.add({"-cupr-latency=" + options_.latency, "-cupr-latency-list=" + intervalList()});
  if (!untimed_.empty())
    instrument.add(fmt::format("-cupr-latency-without={}", fmt::join(untimed_, ",")));
  if (!options_.staticReport.empty())
    instrument.add("-cupr-static-report=" + staticReport());
  // Clang has not run the pass; opt has a name of its own for the flag that asks for remarks.
  for (const std::string &flag : options_.compileFlags)
    if (constexpr std::string_view kMissed = "-Rpass-missed="; flag.starts_with(kMissed))
      instrument.add("-pass-remarks-missed=" + flag.substr(kMissed.size()));
  if (!forCpu_)
    addHookOptions(instrument);
  if (!options_.deviceLibrary.empty()) // it is there for the records
    instrument.add("-cupr-derive=false");
  return run("instrument", instrument.add({bitcode(), "-o", instrumented()}));
}

void DeviceCode::addHookOptions(Command &command) const {
  if (!options_.gpuLines)
    command.add(kStripLines);
  if (!options_.deviceLibrary.empty())
    command.add("-cupr-device-library=" + options_.deviceLibrary);
}

int DeviceCode::compileForGpu() {
  if (!forGpu())
    return 0;
  std::string module = instrumented();
  if (options_.trace && forCpu_) {
    module = file("gpu.bc");
    Command link{"opt-22", "-load-pass-plugin=" + installation_.library("cupr-pass.so"),
                 "-passes=cupr-link-hooks"};
    addHookOptions(link);
    if (const int code = run("link hooks", link.add({instrumented(), "-o", module})))
      return code;
  }
  if (const int code = run("PTX", Command{"clang++-22", "-x", "ir", "--target=nvptx64-nvidia-cuda",
                                          "-march=" + target_.architecture, "-S", level(), "-Xclang",
                                          "-disable-llvm-passes", "-mllvm", "-nvptx-rsqrt-approx-opt=false",
                                          "-Wno-unused-command-line-argument", module, "-o", ptx()}))
    return code;
  const std::string text = execution_.shows() ? "" : fileText(ptx());
  relocatableForHooks_ = options_.latency.empty() && isRelocatableForHooks(text);
  if (relocatableForHooks_)
    std::ofstream(ptx(), std::ios::binary) << withAlignedSharedArrays(text);
  std::vector<std::function<int()>> lanes;
  for (Machine &machine : machines_)
    lanes.push_back([this, &machine] { return assemble(machine); });
  return execution_.sideBySide(lanes);
}

/// PTX to cubin. Where many kernels call hooks, the code is assembled as relocatable and linked
/// (hook_assembly.h). So it is where kernels launch kernels, which takes a library.
int DeviceCode::assemble(Machine &machine) {
  const std::string text = execution_.shows() ? "" : fileText(ptx());
  if (const int code = assembleOnce(machine, ptx(), text))
    return code;
  const std::string limited = limitRegisters(text, machine.kernels);
  const std::string path = file(machine.architecture + ".ptx");
  fs::remove(path); // of the run before, with other intervals
  if (limited.empty())
    return 0;
  std::ofstream(path, std::ios::binary) << limited;
  return assembleOnce(machine, path, limited);
}

int DeviceCode::assembleOnce(Machine &machine, const std::string &ptx, const std::string &text) {
  const std::string cubin = this->cubin(machine.architecture);
  const bool launches = callsDeviceRuntime(text);
  const bool relocatable = relocatableForHooks_ || launches;
  const std::string assembled = relocatable ? cubin + ".unlinked.cubin" : cubin; // nvlink looks at the ending
  Command assemble{installation_.cudaProgram("ptxas"), "-m64", level(), "--gpu-name=" + machine.architecture};
  Command link{installation_.cudaProgram("nvlink"), "-arch=" + machine.architecture};
  if (relocatable)
    assemble.add("--compile-only");
  if (relocatableForHooks_) // a hook with more registers would keep kernels from running in blocks of 1024 threads
    assemble.add("--device-function-maxrregcount=64");
  if (const unsigned threads = execution_.threadsFor(); threads > 1 && level() != "-O0")
    assemble.add(fmt::format("--split-compile={}", threads));
  if (launches)
    link.add({"-L" + installation_.cuda + "/lib64", "-lcudadevrt"});
  std::string assemblerOutput, linkerOutput;
  const bool userAsks = std::find(options_.assemblerFlags.begin(), options_.assemblerFlags.end(), "-v") !=
                        options_.assemblerFlags.end();
  if (!userAsks)
    assemble.add("-v");
  link.add("-v");
  assemble.add({ptx, "-o", assembled}).add(options_.assemblerFlags);
  if (const int code = run("ptxas", assemble, &assemblerOutput))
    return code;
  if (relocatable)
    if (const int code = run("nvlink", link.add({assembled, "-o", cubin}), &linkerOutput))
      return code;
  execution_.print(userAsks ? assemblerOutput : withoutFigures(assemblerOutput));
  execution_.print(withoutFigures(linkerOutput));
  machine.kernels = figuresOf(assemblerOutput, text);
  takeLinked(machine.kernels, linkerOutput, reservedSharedBytes(machine.architecture));
  return 0;
}

int DeviceCode::buildForCpu(const std::string &image) {
  Command retarget{"opt-22", "-load-pass-plugin=" + installation_.library("cupr-retarget.so"),
                   "-passes=cupr-retarget", "-cupr-module-id=" + image};
  if (!options_.hostCpu.empty())
    retarget.add("-cupr-host-cpu=" + options_.hostCpu);
  if (options_.logAccesses)
    retarget.add(options_.recording.values.empty() ? "-cupr-log-accesses" : "-cupr-log-accesses=values");
  if (const int code = run("retarget", retarget.add({instrumented(), "-o", file("cpu.bc")})))
    return code;
  return run("CPU device", Command{"clang++-22", options_.optimisation, "-fPIC", "-x", "ir", "-c",
                                   "-Wno-override-module", "-Wno-pass-failed",
                                   "-Wno-unused-command-line-argument", file("cpu.bc"), "-o", cpuObject()});
}

std::vector<std::string> DeviceCode::images() const {
  std::vector<std::string> images;
  const auto add = [&](const char *kind, const std::string &architecture, const std::string &path) {
    images.push_back(fmt::format("--image3=kind={},sm={},file={}", kind, architecture.substr(3), path));
  };
  for (const Machine &machine : machines_)
    add("elf", machine.architecture, cubin(machine.architecture));
  // The driver, which assembles PTX for newer GPUs, has no library to link to it.
  if (!target_.ptx || callsDeviceRuntime(fileText(ptx())))
    return images;
  // Where registers had to be limited, a driver that assembles the PTX has to as well.
  const std::string limited = file(target_.architecture + ".ptx");
  add("ptx", target_.architecture, fs::exists(limited) ? limited : ptx());
  return images;
}

std::vector<KernelCost> DeviceCode::costs(const std::string &source) const {
  std::vector<KernelCost> all;
  for (const Machine &machine : machines_)
    for (KernelCost &cost : pairKernels(source, machine.architecture, machine.kernels))
      all.push_back(std::move(cost));
  return all;
}

} // namespace cupr::tool

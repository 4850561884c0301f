/// Device code of one architecture: from the bitcode that clang makes to what runs.
///
///     device.bc ─ pass ─> instrumented.bc ─┬─ hooks linked ─> PTX ─┬─> cubin, for each machine
///                                          │                       └─> the PTX itself, if it is wanted
///                                          └─ retargeted ─> object for the CPU device, if it takes this one
///
/// GPU and CPU device are made of the same instrumented bitcode: that is why their
/// accesses agree.
#ifndef CUPR_TOOL_DEVICE_CODE_H
#define CUPR_TOOL_DEVICE_CODE_H

#include "command.h"
#include "cuprewrite/commandline/gpu_targets.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"
#include "kernel_cost.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace cupr::tool {

using commandline::GpuTarget;

class DeviceCode {
public:
  /// `folder` holds `device.bc` when build() is called. `forCpu`: the CPU device runs this one.
  DeviceCode(const Installation &installation, const DriverOptions &options, Execution &execution,
             GpuTarget target, std::string folder, bool forCpu);

  /// Instruments the code and makes what GPUs run of it. This and buildForCpu() return the exit code of the
  /// first command that failed, else 0.
  int build();
  /// `image`: the id under which the host code registers it.
  int buildForCpu(const std::string &image);

  const GpuTarget &target() const { return target_; }
  std::string bitcode() const { return file("device.bc"); }
  /// The module that both devices are made of.
  std::string instrumented() const { return file("instrumented.bc"); }
  std::string ptx() const { return file("gpu.ptx"); }
  std::string cubin(const std::string &machine) const { return file(machine + ".cubin"); }
  std::string cpuObject() const { return file("cpu.o"); }
  /// With device linking: what the object carries of this architecture (device_part.h).
  std::string partFile() const { return file("part"); }
  /// What tells fatbinary of the results.
  std::vector<std::string> images() const;

  /// As JSON, when one is asked for and the build is done.
  std::string staticReport() const { return file("static-report.json"); }
  /// What tracing costs the kernels of `source` on each machine, when the build is done.
  std::vector<KernelCost> costs(const std::string &source) const;

private:
  struct Machine {
    std::string architecture;
    std::vector<KernelFigures> kernels; ///< as assembled; for register limits and --show-cost
  };

  int instrument();
  int compileForGpu();
  /// For the pass cupr-link-hooks.
  void addHookOptions(Command &command) const;
  int assemble(Machine &machine);
  /// Looks whether the machine code times its accesses (latency_audit.h). True: some are to be left out that were not, since it
  /// doesn't.
  bool refusesIntervals();
  /// `text` is what the file `ptx` holds.
  int assembleOnce(Machine &machine, const std::string &ptx, const std::string &text);
  int run(const std::string &step, const Command &command, std::string *output = nullptr) const {
    return execution_.run(step, command, output);
  }
  std::string intervalList() const { return file("intervals"); }
  std::string file(const std::string &name) const { return folder_ + "/" + name; }
  /// Of the back end and the assembler: the user's, as in an ordinary build, so that plain kernels are what
  /// that build makes of them.
  std::string level() const {
    const std::string &users = options_.optimisation;
    return users == "-O0" || users == "-O1" || users == "-O3" ? users : "-O2";
  }
  bool forGpu() const { return options_.device != TargetDevice::Cpu; }

  const Installation &installation_;
  const DriverOptions &options_;
  Execution &execution_;
  const GpuTarget target_;
  const std::string folder_;
  const bool forCpu_;
  std::vector<Machine> machines_;
  bool relocatableForHooks_ = false;
  std::set<std::uint32_t> untimed_; ///< intervals that are left out
};

} // namespace cupr::tool

#endif

/// Builds one CUDA source into one object that holds the host code, the GPU code
/// and the code for the CPU device.
///
///     a.cu ─ cuprewrite ─> augmented a.cu
///                              │
///       ┌──────────────────────┴────── side by side ──────┐
///     clang, device ─> bitcode ─ pass ─> instrumented    clang, host, with a placeholder for the image
///       ├─ hooks linked ─> PTX ─> cubin ─> image           │
///       └─ retargeted ─> object for the CPU device         │
///       │                                                  │
///       └──────────── image and objects joined ────────────┘
///
/// clang reads the fat binary (the image) only to copy it into a section of the host object, so it
/// need not wait for it: objcopy puts the image in the placeholder's place.
///
/// GPU and CPU device are made of the same instrumented bitcode: that is why their
/// accesses agree. The fat binary's hash is the id by which host code finds the
/// CPU device's module (abi/cpu_device.h).
///
/// With device linking (-rdc=true) the bitcode goes into the object as it comes from clang, as a part of a
/// program (device_part.h), and all that follows is done for the linked program (device_link.h).
#ifndef CUPR_TOOL_TRANSLATION_UNIT_H
#define CUPR_TOOL_TRANSLATION_UNIT_H

#include "command.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"
#include "kernel_cost.h"

#include <initializer_list>
#include <string>

namespace cupr::tool {

class TranslationUnit {
public:
  /// `folder` is for intermediate files and exists.
  TranslationUnit(const Installation &installation, const DriverOptions &options, Execution &execution,
                  std::string source, std::string folder);

  /// Builds `object`. Returns the exit code of the first command that failed, else 0.
  int build(const std::string &object);
  /// Makes `image.fatbin` and `cpu.o` of the folder's `device.bc`. Returns as build() does.
  int buildImages();

  /// The static report of the source, as JSON, when one is asked for and the build is done.
  std::string staticReport() const { return file("static-report.json"); }
  /// What tracing costs the source's kernels, when that is asked for and the build is done.
  std::vector<KernelCost> kernelCosts() const { return pairKernels(source_, architecture_, kernels_); }

private:
  using Step = int (TranslationUnit::*)();
  int inTurn(std::initializer_list<Step> steps);
  std::string makeUnitId(const std::string &object) const;
  int rewrite();
  int compileDevice();
  int makePart();
  int instrument();
  int compileForGpu();
  int assemble(const std::string &ptx, const std::string &cubin);
  /// `text` is what the file `ptx` holds.
  int assembleOnce(const std::string &ptx, const std::string &text, const std::string &cubin);
  int compileForCpu();
  int compileHost();
  int join(const std::string &object);
  int embedImage(const std::string &object);
  int run(const std::string &step, const Command &command, std::string *output = nullptr) const {
    return execution_.run(step, command, output);
  }
  std::string file(const std::string &name) const { return folder_ + "/" + name; }
  /// Of the back end: the user's, as in an ordinary build, so that plain kernels are what that build makes of
  /// them.
  std::string backEndLevel() const {
    const std::string &level = options_.optimisation;
    return level == "-O0" || level == "-O1" || level == "-O3" ? level : "-O2";
  }
  std::string assemblerLevel() const { return options_.optimisation == "-O0" ? "-O0" : "-O3"; }
  /// The module that both devices are made of; without tracing the plain one.
  std::string instrumented() const { return file(options_.trace ? "instrumented.bc" : "device.bc"); }
  std::vector<std::string> sourceFlags() const;
  bool forGpu() const { return options_.device != TargetDevice::Cpu; }
  bool forCpu() const { return options_.device != TargetDevice::Gpu; }
  void writeCpuOnlyImage() const;
  std::string imageId() const;

  const Installation &installation_;
  const DriverOptions &options_;
  Execution &execution_;
  const std::string source_;
  const std::string folder_;
  std::string copies_;    ///< folder of the augmented copies
  std::string augmented_; ///< the source to compile
  std::string architecture_;
  std::string unitId_; ///< with device linking: clang's -cuid, of which names of static variables are made
  std::vector<KernelFigures> kernels_; ///< as assembled; for register limits and --show-cost
};

/// The folder against which sources are mirrored: `wanted` (may be empty) or the current one if the source
/// lies below it, else the source's own.
std::string mirrorRoot(const std::string &source, const std::string &wanted);

} // namespace cupr::tool

#endif

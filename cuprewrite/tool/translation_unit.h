/// Builds one CUDA source into one object that holds the host code, the GPU code
/// and the code for the CPU device.
///
///     a.cu ─ cuprewrite ─> a.cu (augmented) ─ clang, device ─> bitcode ─ pass ─> bitcode with hooks called
///                                │                                  ├─ hooks linked ─> PTX ─> cubin ─> fat
///                                binary ┐ │                                  └─ retargeted ─> object for the
///                                host          │ id └─ clang, host, with the fat binary embedded ─> object ─
///                                joined with it <────────┘
///
/// GPU and CPU device are made of the same instrumented bitcode: that is why their
/// accesses agree. The fat binary's hash is the id by which host code finds the
/// CPU device's module (abi/cpu_device.h).
#ifndef CUPR_TOOL_TRANSLATION_UNIT_H
#define CUPR_TOOL_TRANSLATION_UNIT_H

#include "command.h"
#include "driver_options.h"
#include "installation.h"

#include <string>

namespace cupr::tool {

class TranslationUnit {
public:
  /// `folder` is for intermediate files and exists.
  TranslationUnit(const Installation &installation, const DriverOptions &options, std::string source,
                  std::string folder);

  /// Builds `object`. Returns the exit code of the first command that failed, else 0.
  int build(const std::string &object);

  /// The static report of the source, as JSON, when one is asked for and the build is done.
  std::string staticReport() const { return file("static-report.json"); }

private:
  int rewrite();
  int compileDevice();
  int compileForGpu();
  int compileForCpu();
  int compileHost();
  int run(const Command &command) const;
  std::string file(const std::string &name) const { return folder_ + "/" + name; }
  std::vector<std::string> sourceFlags() const;
  bool forGpu() const { return options_.device != TargetDevice::Cpu; }
  bool forCpu() const { return options_.device != TargetDevice::Gpu; }
  void writeCpuOnlyImage() const;
  std::string imageId() const;

  const Installation &installation_;
  const DriverOptions &options_;
  const std::string source_;
  const std::string folder_;
  std::string copies_;    ///< folder of the augmented copies
  std::string augmented_; ///< the source to compile
  std::string architecture_;
};

/// The folder against which sources are mirrored: the current one if the source lies below it, else the
/// source's own.
std::string mirrorRoot(const std::string &source);

} // namespace cupr::tool

#endif

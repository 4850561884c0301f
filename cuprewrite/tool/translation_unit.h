/// Builds one CUDA source into one object that holds the host code, the GPU code
/// and the code for the CPU device.
///
///     a.cu ─ cuprewrite ─> augmented a.cu
///                              │
///       ┌──────────────────────┴────── side by side ──────┐
///     clang, device ─> bitcode, per architecture         clang, host, with a placeholder for the image
///       └─ instrumented, built (device_image.h)           │
///       │                                                 │
///       └──────────── image and objects joined ───────────┘
///
/// clang reads the fat binary (the image) only to copy it into a section of the host object, so it
/// need not wait for it: objcopy puts the image in the placeholder's place.
///
/// With device linking (-rdc=true) the bitcode goes into the object as it comes from clang, as parts of a
/// program (device_part.h), and all that follows is done for the linked program (device_link.h).
#ifndef CUPR_TOOL_TRANSLATION_UNIT_H
#define CUPR_TOOL_TRANSLATION_UNIT_H

#include "command.h"
#include "device_image.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"

#include <string>

namespace cupr::tool {

class TranslationUnit {
public:
  /// `folder` is for intermediate files and exists.
  TranslationUnit(const Installation &installation, const DriverOptions &options, Execution &execution,
                  std::string source, std::string folder);

  /// Builds `object`. This and the others return the exit code of the first command that failed, else 0.
  int build(const std::string &object);
  /// Builds device code alone, for programs that load it by themselves: PTX, a cubin or a fat binary, as the
  /// options' action says.
  int buildDevice(const std::string &output);
  /// Writes the preprocessed source to `output`, or to standard output when it is empty: the host's side,
  /// then the device's, since a build may depend on either.
  int preprocess(const std::string &output);
  /// Writes the rule of make to the file that the options name, or to standard output; compiles nothing.
  int writeDependencies();
  int checkSyntax();

  const DeviceImage &image() const { return image_; }
  const std::string &source() const { return source_; }

private:
  std::string makeUnitId(const std::string &object) const;
  int rewrite();
  int compileDevice(const DeviceCode &code);
  int makeParts();
  int makePart(const DeviceCode &code, std::string &symbols) const;
  int compileHost();
  int join(const std::string &object);
  int publishDependencies(const std::string &object) const;
  int side(const std::string &architecture, const std::vector<std::string> &flags, const std::string &step);
  std::string originalOf(const std::string &path) const;
  int run(const std::string &step, const Command &command, std::string *output = nullptr) const {
    return execution_.run(step, command, output);
  }
  std::string file(const std::string &name) const { return folder_ + "/" + name; }
  std::vector<std::string> sourceFlags() const { return flagsOf(/*isPlaced=*/true); }
  std::vector<std::string> flagsOf(bool isPlaced) const;
  Command reading(const char *side, const std::string &architecture, const std::vector<std::string> &numbers,
                  bool isPlaced) const;
  Command readingDevice(const DeviceCode &code, bool isPlaced) const;
  Command readingHost(bool isPlaced) const;
  std::vector<std::string> headerFlags(const Command &compile, bool isRepeated = false) const;
  void keepHeaders();
  std::vector<std::string> dependencyFlags(const std::string &file) const;

  const Installation &installation_;
  const DriverOptions &options_;
  Execution &execution_;
  const std::string source_;
  const std::string folder_;
  const std::string root_;
  std::string copies_;    ///< folder of the augmented copies
  std::string augmented_; ///< the source to compile
  std::string unitId_;    ///< with device linking: clang's -cuid, of which names of static variables are made
  DeviceImage image_;
};

/// The folder against which sources are mirrored: `wanted` (may be empty) or the current one if the source
/// lies below it, else the source's own.
std::string mirrorRoot(const std::string &source, const std::string &wanted);

} // namespace cupr::tool

#endif

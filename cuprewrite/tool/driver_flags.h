/// What the flags of cupr++ ask for, whatever way they are written in: a function for each, and a table by
/// name. What words there are, and which of them are flags and values, is the business of driver_options.cpp.
#ifndef CUPR_TOOL_DRIVER_FLAGS_H
#define CUPR_TOOL_DRIVER_FLAGS_H

#include "cuprewrite/commandline/gpu_targets.h"
#include "cuprewrite/commandline/nvcc_flags.h"
#include "driver_options.h"

#include <span>
#include <string>
#include <string_view>

namespace cupr::tool {

/// Our own flags, and of clang's those that are more than a word for the compilation. Others are nvcc's.
std::span<const commandline::Flag> flagsBesideNvccs();

/// What flags have asked for so far.
struct DriverFlags {
  /// A flag of one of the tables: as the user wrote it, and without its value. Of flags without a function
  /// clang does what they ask for by itself, or they change nothing here.
  void apply(const commandline::Flag &flag, std::string_view spelled, std::string_view name,
             const std::string &value);
  /// `-l`.
  void addLibrary(const std::string &name);

  DriverOptions options;
  std::string error;    ///< empty: none
  std::string language; ///< of the sources that follow; empty: by their names
  std::string outputFolder;
  bool debugDevice = false, optimiseDevice = false, inPlaceOf = false;
  commandline::GpuTargetFlags targets;
};

} // namespace cupr::tool

#endif

/// The command line of cupr++: nvcc's and clang's usual flags, sorted by who needs
/// them.
///
/// A compiler driver's flags are not a command line of our own: they follow two other
/// programs' grammars, so they are read here by hand.
#ifndef CUPR_TOOL_DRIVER_OPTIONS_H
#define CUPR_TOOL_DRIVER_OPTIONS_H

#include "cuprewrite/commandline/gpu_targets.h"
#include "device_numbers.h"
#include "recording.h"

#include <string>
#include <vector>

namespace cupr::tool {

using commandline::GpuTarget;

enum class TargetDevice { Both, Gpu, Cpu };

struct DriverOptions {
  enum class Action {
    Link,
    Compile,
    DeviceLink,
    Archive, ///< -lib
    Ptx,     ///< -ptx, -cubin, -fatbin: device code alone, for programs that load it by themselves
    Cubin,
    FatBinary,
    Preprocess,   ///< -E
    Dependencies, ///< -M, -MM
    CheckSyntax,  ///< -fsyntax-only
    LinkWith,     ///< --link-with: the link of another compiler
    Help,
    Version,
    ListCode, ///< --list-gpu-code, --list-gpu-arch
    Forward,  ///< questions that are clang's to answer
  };

  Action action = Action::Link;
  std::string output;
  std::string toolkit; ///< --cuda-path; empty: as Installation finds it
  TargetDevice device = TargetDevice::Both;
  std::string keepFolder;    ///< --keep=DIR; empty: the copies are temporary
  std::string root;          ///< --root=DIR; empty: see mirrorRoot
  std::string keepSignature; ///< --keep-signature=REGEX, of cuprewrite
  bool show = false;         ///< --show
  bool verbose = false;      ///< -v: commands are shown and run
  unsigned jobs = 0;         ///< --jobs=N; 0: as many as there are processors
  std::string timeFile;      ///< --time=FILE; empty: none
  bool showCost = false;     ///< --show-cost
  std::string costFile;      ///< --show-cost=FILE; empty: the table only
  std::string staticReport;  ///< --static-report=FILE; empty: none
  bool trace = true;         ///< --no-trace
  std::string deviceLibrary; ///< --device-library: the hooks for a GPU; empty: the project's
  std::string hostCpu;       ///< --host-cpu: -cupr-host-cpu of the retargeting; empty: its default
  Recording
      recording; ///< --spaces, --values, --clock, --synchronisation, --host-accesses, --instructions, --context-sites
  std::string latency;      ///< --latency[=SCHEME]: how timed variants measure; empty: there are none
  bool logAccesses = false; ///< --log-accesses (for tests): -cupr-log-accesses of the retargeting
  std::vector<GpuTarget> gpuTargets; ///< empty: none is named
  std::string optimisation = "-O2";
  bool relocatable = false;  ///< -rdc=true: device code is linked across files
  bool gpuLines = false;     ///< -lineinfo, -g, -G: line information in the GPU's code, for other tools
  bool virtualNames = false; ///< of ListCode: compute_XX
  bool run = false;          ///< -run: the program, once it is built
  std::string archiver = "ar";

  std::vector<std::string> cudaSources;
  std::vector<std::string> hostSources;
  std::vector<std::string> linkInputs;     ///< objects, archives, -l, -L, -Wl: in order
  std::vector<std::string> includes;       ///< folders of -I, in order
  std::vector<std::string> compileFlags;   ///< for every compilation, -I apart
  std::vector<std::string> hostFlags;      ///< -Xcompiler
  DeviceNumbers deviceNumbers;             ///< --use_fast_math, --ftz, --prec-div, --prec-sqrt, --fmad
  std::vector<std::string> assemblerFlags; ///< for ptxas
  std::vector<std::string> fatBinaryFlags; ///< -Xfatbin
  std::vector<std::string> archiverFlags;  ///< -Xarchive
  std::vector<std::string> runArguments;   ///< -run-args
  std::vector<std::string> linker;         ///< --link-with: the other compiler's command
  std::vector<std::string> notes;          ///< flags that have no effect here, with the reason

  struct Dependencies {
    bool wanted = false;              ///< -MD, -MMD
    bool system = true;               ///< headers of the system too: not with -MMD, -MM
    bool phony = false;               ///< -MP
    std::string file;                 ///< -MF; empty: as the object, with .d
    std::vector<std::string> targets; ///< -MT, -MQ: as they stand in the file; empty: the object
  } dependencies;

  /// What is built: the architectures that are named, or the default.
  std::vector<GpuTarget> targets() const;
  /// Of -Xcompiler, for clang.
  std::vector<std::string> hostCompilerFlags() const;
  /// How host code's products and sums are to be as gcc's, of which nothing is fused for processors without an instruction for that:
  /// clang would fuse those that it works out by itself. Empty where the user has said something of it.
  std::string hostFusingFlag() const;
  /// compileFlags, hostFusingFlag() for the host's side, and what asks for nvcc's own macro (nvcc_macro.h). All of them are cuprewrite's as well, so
  /// that it and the compiler have the same headers kept. CMake wants to know by a source of its own which compiler it has,
  /// and takes whoever defines that macro for nvcc itself, whose commands it then takes apart.
  std::vector<std::string> cudaFlags() const;

  /// Reads the arguments. On a mistake `error` says what is wrong.
  static DriverOptions parse(const std::vector<std::string> &arguments, std::string &error);
};

/// The arguments with what response files (`@file`, --options-file) and the environment's NVCC_PREPEND_FLAGS
/// and NVCC_APPEND_FLAGS add, as nvcc does it; behind --link-with stands another compiler's command, to which they add nothing. On a mistake `error` says what is wrong.
std::vector<std::string> expandArguments(const std::vector<std::string> &arguments, std::string &error);

} // namespace cupr::tool

#endif

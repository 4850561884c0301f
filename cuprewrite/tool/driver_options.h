/// The command line of cupr++: nvcc's and clang's usual flags, sorted by who needs
/// them.
///
/// A compiler driver's flags are not a command line of our own: they follow two other
/// programs' grammars, so they are read here by hand.
#ifndef CUPR_TOOL_DRIVER_OPTIONS_H
#define CUPR_TOOL_DRIVER_OPTIONS_H

#include <string>
#include <vector>

namespace cupr::tool {

enum class TargetDevice { Both, Gpu, Cpu };

struct DriverOptions {
  enum class Action { Link, Compile, DeviceLink, Help, Forward };

  Action action = Action::Link;
  std::string output;
  TargetDevice device = TargetDevice::Both;
  std::string keepFolder;   ///< --keep=DIR; empty: the copies are temporary
  std::string root;         ///< --root=DIR; empty: see mirrorRoot
  bool show = false;        ///< --show
  unsigned jobs = 0;        ///< --jobs=N; 0: as many as there are processors
  std::string timeFile;     ///< --time=FILE; empty: none
  bool showCost = false;    ///< --show-cost
  std::string costFile;     ///< --show-cost=FILE; empty: the table only
  std::string staticReport; ///< --static-report=FILE; empty: none
  bool trace = true;        ///< --no-trace
  std::string spaces;       ///< --spaces=LIST: memory to trace accesses of; empty: the pass's default
  bool logAccesses = false; ///< --log-accesses (for tests): -cupr-log-accesses of the retargeting
  std::string architecture; ///< -arch=sm_XX; empty: default
  std::string optimisation = "-O2";
  bool relocatable = false; ///< -rdc=true: device code is linked across files
  bool gpuLines = false;    ///< -lineinfo, -g, -G: line information in the GPU's code, for other tools

  std::vector<std::string> cudaSources;
  std::vector<std::string> hostSources;
  std::vector<std::string> linkInputs;      ///< objects, archives, -l, -L, -Wl: in order
  std::vector<std::string> includes;        ///< folders of -I, in order
  std::vector<std::string> compileFlags;    ///< for every compilation, -I apart
  std::vector<std::string> hostFlags;       ///< -Xcompiler
  std::vector<std::string> dependencyFlags; ///< -MD, -MF ...: host compilation only
  std::vector<std::string> assemblerFlags;  ///< for ptxas
  std::vector<std::string> notes;           ///< flags that have no effect here, with the reason

  /// Reads the arguments. On a mistake `error` says what is wrong.
  static DriverOptions parse(const std::vector<std::string> &arguments, std::string &error);
};

} // namespace cupr::tool

#endif

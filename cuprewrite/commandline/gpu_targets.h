/// What GPUs a program is built for: nvcc's -arch, -code and -gencode, clang's --cuda-gpu-arch.
///
/// Device code is compiled once per virtual architecture, which decides `__CUDA_ARCH__` and what is in the
/// PTX. From that PTX comes machine code for one or several real architectures, and where it is asked for the
/// PTX itself goes into the program too, for GPUs that are newer than all of them.
#ifndef CUPR_COMMANDLINE_GPU_TARGETS_H
#define CUPR_COMMANDLINE_GPU_TARGETS_H

#include <string>
#include <vector>

namespace cupr::commandline {

struct GpuTarget {
  std::string architecture;          ///< compiled for, as clang spells it: sm_80, sm_90a
  std::vector<std::string> machines; ///< real architectures, sm_80; at least one
  bool ptx = false;                  ///< the PTX goes into the program

  bool operator==(const GpuTarget &) const = default;
};

/// `80` of sm_80, compute_80, sm_90a; 0 when there is no number.
unsigned architectureNumber(const std::string &architecture);

/// Collects the flags of a command line in their order.
class GpuTargetFlags {
public:
  /// -arch, --cuda-gpu-arch. Each function returns what is wrong with the value; empty: nothing.
  std::string addArchitecture(const std::string &value);
  /// -code: for the architecture that -arch names.
  std::string addCode(const std::string &value);
  /// -gencode.
  std::string addSpecification(const std::string &value);

  /// clang's --no-cuda-include-ptx: of one architecture, or of `all`.
  void leaveOutPtx(const std::string &value) { withoutPtx_.push_back(value); }

  /// In rising order of architecture, each once; empty when no flag named one. When the flags
  /// don't fit together `error` says so; `notes` gets what the user should know.
  std::vector<GpuTarget> resolve(std::string &error, std::vector<std::string> &notes) const;

private:
  struct Request {
    std::string architecture; ///< sm_80, or native, all, all-major
    std::vector<std::string> codes;
  };
  std::vector<Request> plain_;     ///< of -arch: codes are -code's
  std::vector<Request> specified_; ///< of -gencode
  std::vector<std::string> codes_;
  std::vector<std::string> withoutPtx_;
};

/// What is built when nothing is said: the oldest that CUDA 13 knows, with its PTX.
GpuTarget defaultGpuTarget();

/// The architectures that clang 22 and CUDA 13 have in common, `sm_75`: for -arch=all and --list-gpu-code.
const std::vector<std::string> &knownArchitectures();

/// The members of `all` or `all-major`.
std::vector<std::string> architectureGroup(const std::string &name);

/// Those of the GPUs in this machine, by the driver; empty when there is none.
std::vector<std::string> nativeArchitectures();

} // namespace cupr::commandline

#endif

/// What has been registered: the device objects' modules, and the host code's
/// images, kernels and variables.
///
/// Registration runs in constructors, in any order and before anything else in the
/// program; so it only notes what it is given, and the connection between a host
/// handle and a module is made at its first use.
#ifndef CUPR_CPU_REGISTRY_H
#define CUPR_CPU_REGISTRY_H

#include "devicelib/abi/cpu_device.h"

#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cupr::cpu {

class Registry {
public:
  static Registry &instance();

  void addModule(const abi::CpuModule *module);
  std::size_t moduleCount();
  /// The module's code is for `processor`, of which it may use `features` (processor.h).
  void needProcessor(const abi::CpuModule *module, const char *processor, const char *features);
  /// Whether this machine's processor can run the module's code.
  bool canRun(const abi::CpuModule *module);
  /// Says which modules can't run here, and why, unless that has been said.
  void warnOfProcessor();
  /// Returns the handle that the host code passes on to addKernel and addVariable.
  void **addImage(const void *wrapper);
  void addKernel(void **image, const void *handle, const char *name);
  void addVariable(void **image, const void *handle, const char *name);

  struct Kernel {
    const abi::CpuModule *module = nullptr;
    const abi::CpuKernel *kernel = nullptr;
    const void *attributes = nullptr; ///< the handle that attributes are set on
  };
  /// Null members: nothing is registered under the handle. `name` is set to what
  /// the host code calls it, if it does.
  Kernel kernel(const void *handle, std::string *name = nullptr);
  /// What device code knows by this address, or null.
  const abi::CpuKernel *kernelOfCode(const void *code);
  /// A handle for another kernel of the same module, or null.
  const void *kernelBeside(const void *handle, const char *name);
  /// `handle`: of a managed variable, the host's pointer to it.
  const abi::CpuVariable *variable(const void *handle);
  /// Tells that the variable is managed memory. Where it lies, or null.
  void *setManaged(const void *handle);
  bool isManaged(const abi::CpuVariable *variable);
  /// The variables that the program has declared, but for managed ones.
  std::vector<const abi::CpuVariable *> ownVariables();
  const abi::CpuVariable *moduleVariable(const void *kernelHandle, const char *name);
  /// The variable that `address` lies in, or null.
  const abi::CpuVariable *variableAt(const void *address);
  /// The newest architecture that a module was compiled for, as 75 for sm_75.
  std::uint32_t architecture();

private:
  struct Image {
    std::uint64_t id[2];
    const abi::CpuModule *module = nullptr;
  };
  struct Entry {
    Image *image;
    std::string name;
    Kernel kernel;
    const abi::CpuVariable *variable = nullptr;
  };
  const abi::CpuModule *resolve(Image &image);

  std::mutex mutex_;
  std::vector<const abi::CpuModule *> modules_;
  std::vector<Image *> images_;
  std::unordered_map<const void *, Entry> kernels_, variables_;
  std::unordered_set<const abi::CpuVariable *> managed_;
  /// By module that can't run here: what is to be said of it. Empty: it has been said.
  std::unordered_map<const abi::CpuModule *, std::string> unfit_;
};

} // namespace cupr::cpu

#endif

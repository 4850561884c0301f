/// What the program's objects register before main: images (one per translation
/// unit), kernels and variables.
///
/// Registrations are kept, and handed to the backend once the device is chosen;
/// later ones (of libraries loaded with dlopen) go there at once. The record kept
/// here is also how the tracer knows a kernel's name.
#ifndef CUPR_RUNTIME_REGISTRATION_H
#define CUPR_RUNTIME_REGISTRATION_H

#include <cstddef>
#include <string>
#include <vector>

namespace cupr::host {

struct RegisteredKernel {
  const void *handle; ///< the host function that stands for it
  std::string name;   ///< mangled
};

struct RegisteredVariable {
  const void *handle; ///< the host variable that stands for it; of a managed one, the host's pointer to it
  std::string name;   ///< mangled
  std::size_t bytes;
  bool constant;
  bool managed;
};

/// Where a managed variable lies: loads the code that holds it, if need be. Null when that fails.
void *managedAddress(void *const *hostPointer);

/// Where a variable lies, and `offset` bytes more; null: it is none.
void *symbolAddress(const void *symbol, std::size_t offset);

/// The kernel's name; empty when it has not been registered.
std::string kernelName(const void *handle);

/// The kernels of this name: objects may have one each.
std::vector<const void *> handlesNamed(const std::string &name);

/// The variables of the image that holds this kernel.
std::vector<RegisteredVariable> variablesBeside(const void *kernelHandle);

/// Whether some registered image holds code for the GPU, or for the CPU device. Both
/// false when nothing is registered.
bool hasGpuImages();
bool hasCpuImages();

/// Hands everything kept to the chosen backend.
void replayRegistrations();

} // namespace cupr::host

#endif

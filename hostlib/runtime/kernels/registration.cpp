#include "registration.h"

#include "devicelib/abi/cpu_device.h"
#include "devicelib/abi/version.h"
#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/driver/message.h"
#include "registration_calls.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace cupr::host {
namespace {

struct Function {
  RegisteredKernel kernel;
  const char *hostFunction;
  char *deviceFunction;
  int threadLimit;
};

struct Variable {
  RegisteredVariable variable;
  void *hostVariable;
  char *deviceAddress;
  int isExternal, isConstant, isGlobal;
};

struct Image {
  void *wrapper;
  std::deque<Function> functions; // element addresses are handed out
  std::deque<Variable> variables;
  void **backendHandle = nullptr;
  bool ended = false;
};

/// Constructed on first use: constructors of other files register before our own run.
struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Image>> images;
  std::unordered_map<const void *, std::pair<Image *, const Function *>> kernels;
  bool replayed = false;
};

Registry &registry() {
  static Registry *const instance = new Registry; // outlives every static destructor
  return *instance;
}

void handOver(Image &image, const Function &function) {
  CUPR_BACKEND(__cudaRegisterFunction)
  (image.backendHandle, function.hostFunction, function.deviceFunction, function.kernel.name.c_str(),
   function.threadLimit, nullptr, nullptr, nullptr, nullptr, nullptr);
}

void handOver(Image &image, const Variable &variable) {
  const RegisteredVariable &known = variable.variable;
  if (known.managed) {
    const auto registerManaged = CUPR_BACKEND(__cudaRegisterManagedVar);
    registerManaged(image.backendHandle, static_cast<void **>(variable.hostVariable), variable.deviceAddress,
                    known.name.c_str(), variable.isExternal, known.bytes, variable.isConstant,
                    variable.isGlobal);
  } else {
    const auto registerPlain = CUPR_BACKEND(__cudaRegisterVar);
    registerPlain(image.backendHandle, static_cast<char *>(variable.hostVariable), variable.deviceAddress,
                  known.name.c_str(), variable.isExternal, known.bytes, variable.isConstant,
                  variable.isGlobal);
  }
}

/// `hostVariable`: of a managed variable, the pointer through which the host reaches it.
void keep(void **handle, void *hostVariable, char *deviceAddress, const char *deviceName, int isExternal,
          std::size_t bytes, int isConstant, int isGlobal, bool managed) {
  Registry &all = registry();
  const std::scoped_lock lock(all.mutex);
  Image &image = *reinterpret_cast<Image *>(handle);
  image.variables.push_back({{hostVariable, deviceName, bytes, isConstant != 0, managed},
                             hostVariable,
                             deviceAddress,
                             isExternal,
                             isConstant,
                             isGlobal});
  if (all.replayed)
    handOver(image, image.variables.back());
}

/// The wrapper that the compiler emits around an image, and the image's own head (fatbinary.h of the
/// toolkit describes both).
struct ImageWrapper {
  std::uint32_t magic, version;
  const void *image;
  const void *unused;
};
struct ImageHead {
  std::uint32_t magic;
  std::uint16_t version, headBytes;
  std::uint64_t payloadBytes;
};
constexpr char kCpuOnlyMark[] = "CUPRCPU1";

/// The image that cupr++ makes for programs without GPU code holds nothing but a mark and an id.
bool isCpuOnly(const Image &image) {
  const auto *wrapper = static_cast<const ImageWrapper *>(image.wrapper);
  const auto *head = static_cast<const ImageHead *>(wrapper->image);
  return head->payloadBytes >= 8 &&
         std::memcmp(reinterpret_cast<const char *>(head) + head->headBytes, kCpuOnlyMark, 8) == 0;
}

} // namespace

std::string kernelName(const void *handle) {
  const std::scoped_lock lock(registry().mutex);
  const auto found = registry().kernels.find(handle);
  return found == registry().kernels.end() ? std::string() : found->second.second->kernel.name;
}

std::vector<const void *> handlesNamed(const std::string &name) {
  const std::scoped_lock lock(registry().mutex);
  std::vector<const void *> handles;
  for (const auto &[handle, entry] : registry().kernels)
    if (entry.second->kernel.name == name)
      handles.push_back(handle);
  return handles;
}

std::vector<RegisteredVariable> variablesBeside(const void *kernelHandle) {
  const std::scoped_lock lock(registry().mutex);
  std::vector<RegisteredVariable> result;
  if (const auto found = registry().kernels.find(kernelHandle); found != registry().kernels.end())
    for (const Variable &variable : found->second.first->variables)
      result.push_back(variable.variable);
  return result;
}

void *managedAddress(void *const *hostPointer) {
  deviceKind(); // hands the registrations over
  if (*hostPointer)
    return *hostPointer;
  void **handle = nullptr;
  std::string name;
  {
    const std::scoped_lock lock(registry().mutex);
    for (const auto &image : registry().images)
      for (const Variable &variable : image->variables)
        if (variable.hostVariable == hostPointer) {
          handle = image->backendHandle;
          name = variable.variable.name;
        }
  }
  if (handle)
    CUPR_BACKEND(__cudaInitModule)(handle); // sets the pointer
  if (!*hostPointer)
    message("the managed variable {} has no memory: {}", name.empty() ? "at hand" : name,
            handle ? "the device can't load the code that holds it" : "its file is not registered");
  return *hostPointer;
}

void *symbolAddress(const void *symbol, std::size_t offset) {
  void *address = nullptr;
  return CUPR_BACKEND(cudaGetSymbolAddress)(&address, symbol) == cudaSuccess
             ? static_cast<char *>(address) + offset
             : nullptr;
}

bool hasGpuImages() {
  const std::scoped_lock lock(registry().mutex);
  for (const auto &image : registry().images)
    if (!isCpuOnly(*image))
      return true;
  return false;
}

bool hasCpuImages() { return cuprCpuModuleCount() > 0; }

void replayRegistrations() {
  Registry &all = registry();
  const std::scoped_lock lock(all.mutex);
  for (const auto &image : all.images) {
    image->backendHandle = CUPR_BACKEND(__cudaRegisterFatBinary)(image->wrapper);
    for (const Function &function : image->functions)
      handOver(*image, function);
    for (const Variable &variable : image->variables)
      handOver(*image, variable);
    if (image->ended)
      CUPR_BACKEND(__cudaRegisterFatBinaryEnd)(image->backendHandle);
  }
  all.replayed = true;
}

} // namespace cupr::host

using namespace cupr::host;

extern "C" {

/// Host code calls this while its pointer to a managed variable is null
/// (cuprewrite/pass/managed_variables.h).
void *CUPR_VERSIONED(__cupr_managed_v)(void **hostPointer) { return managedAddress(hostPointer); }

void **cupr_hook___cudaRegisterFatBinary(void *wrapper) {
  Registry &all = registry();
  const std::scoped_lock lock(all.mutex);
  all.images.push_back(std::make_unique<Image>());
  Image &image = *all.images.back();
  image.wrapper = wrapper;
  if (all.replayed)
    image.backendHandle = CUPR_BACKEND(__cudaRegisterFatBinary)(wrapper);
  return reinterpret_cast<void **>(&image);
}

void cupr_hook___cudaRegisterFatBinaryEnd(void **handle) {
  Registry &all = registry();
  const std::scoped_lock lock(all.mutex);
  Image &image = *reinterpret_cast<Image *>(handle);
  image.ended = true;
  if (all.replayed)
    CUPR_BACKEND(__cudaRegisterFatBinaryEnd)(image.backendHandle);
}

void cupr_hook___cudaUnregisterFatBinary(void **handle) {
  Registry &all = registry();
  const std::scoped_lock lock(all.mutex);
  Image &image = *reinterpret_cast<Image *>(handle);
  if (all.replayed)
    CUPR_BACKEND(__cudaUnregisterFatBinary)(image.backendHandle);
  for (const Function &function : image.functions)
    all.kernels.erase(function.kernel.handle);
  std::erase_if(all.images, [&](const auto &each) { return each.get() == &image; });
}

void cupr_hook___cudaRegisterFunction(void **handle, const char *hostFunction, char *deviceFunction,
                                      const char *deviceName, int threadLimit, void *, void *, void *, void *,
                                      int *) {
  Registry &all = registry();
  const std::scoped_lock lock(all.mutex);
  Image &image = *reinterpret_cast<Image *>(handle);
  image.functions.push_back({{hostFunction, deviceName}, hostFunction, deviceFunction, threadLimit});
  all.kernels[hostFunction] = {&image, &image.functions.back()};
  if (all.replayed)
    handOver(image, image.functions.back());
}

void cupr_hook___cudaRegisterVar(void **handle, char *hostVariable, char *deviceAddress,
                                 const char *deviceName, int isExternal, std::size_t bytes, int isConstant,
                                 int isGlobal) {
  keep(handle, hostVariable, deviceAddress, deviceName, isExternal, bytes, isConstant, isGlobal,
       /*managed=*/false);
}

void cupr_hook___cudaRegisterManagedVar(void **handle, void **hostVariable, char *deviceAddress,
                                        const char *deviceName, int isExternal, std::size_t bytes,
                                        int isConstant, int isGlobal) {
  keep(handle, hostVariable, deviceAddress, deviceName, isExternal, bytes, isConstant, isGlobal,
       /*managed=*/true);
}
}
